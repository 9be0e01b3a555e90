/** `carrier health` and `trunk health`: which SIP peers answer OPTIONS. */
import { requireAccount } from '../../business/accounts/accounts.ts';
import { listPeerHealth, type PeerHealth } from '../../business/voice/sip-peers.ts';
import { environmentCommand } from './open-environment.ts';
import { moment } from './output.ts';

const json = { type: 'boolean', summary: 'print JSON' } as const;

export const peerHealthCommands = [
  environmentCommand({
    name: 'carrier health',
    summary: 'Show which carriers answer OPTIONS; those that are down first.',
    options: { json },
    notes: 'Calls out try a carrier that is down after all others.',
    run: async ({ env, values, out, printTable }) => {
      const found = await listPeerHealth(env, 'carrier');
      if (values.json) return out(JSON.stringify(found));
      printTable(
        ['CARRIER', ...headings],
        found.map((one) => [one.name, ...cells(one)]),
        'There are no carriers.',
      );
    },
  }),
  environmentCommand({
    name: 'trunk health',
    summary: 'Show which inbound trunks answer OPTIONS, or have registered; those that are down first.',
    options: { account: { type: 'string', value: 'ACCOUNT', summary: 'of this account only' }, json },
    run: async ({ env, values, out, printTable }) => {
      const account = values.account === undefined ? null : await requireAccount(env, values.account);
      const found = await listPeerHealth(env, 'trunk', account?.id ?? null);
      if (values.json) return out(JSON.stringify(found));
      const rows = found.map((one) => [one.account ?? '', one.name, ...cells(one)]);
      printTable(['ACCOUNT', 'TRUNK', ...headings], rows, 'There are no SIP trunks.');
    },
  }),
];

const headings = ['STATE', 'SINCE', 'RESPONSE', 'MS', 'ASKED', 'ASKED US'];

const cells = ({ state, since, response, round_trip_ms, checked_at, heard_at }: PeerHealth): string[] => [
  state ?? 'unknown',
  since === null ? '-' : moment(since),
  response ?? '-',
  round_trip_ms === null ? '-' : String(round_trip_ms),
  checked_at === null ? '-' : moment(checked_at),
  heard_at === null ? '-' : moment(heard_at),
];
