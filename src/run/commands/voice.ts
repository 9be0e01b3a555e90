/**
 * `voice-rates set|list` and `voice-out-trunks ip-only`: prices of calls, and a setting that only an operator makes.
 */

import { oneOf, wholeNumber } from '../../base/fields.ts';
import { requireAccount } from '../../business/accounts/accounts.ts';
import { listVoiceRates, rateKinds, setVoiceRate } from '../../business/voice/rates.ts';
import type { Environment } from '../../engines/environment.ts';
import { allowByAddress } from '../../interfaces/platform/outbound-trunks/authentication.ts';
import { changeCommand } from './change-command.ts';
import { argument } from './command.ts';
import { environmentCommand } from './open-environment.ts';
import { money } from './output.ts';

export const voiceCommands = [
  changeCommand({
    action: 'voice_rate.changed',
    name: 'voice-rates set',
    summary: 'Set what a minute costs, by the leading digits of the number that is called.',
    positionals: ['KIND', 'PRICE'],
    options: {
      prefix: { type: 'string', value: 'DIGITS', summary: 'leading digits; every other destination when left out' },
      fee: { type: 'string', value: 'AMOUNT', summary: 'for the connection itself (0)' },
      intervals: { type: 'string', value: 'FIRST/NEXT', summary: 'billed in steps of these seconds (1/1)' },
      country: { type: 'string', value: 'NAME', summary: 'shown in CDRs of calls out' },
      network: { type: 'string', value: 'NAME', summary: 'shown in CDRs of calls out' },
      account: { type: 'string', value: 'ACCOUNT', summary: 'for this account only' },
    },
    notes: [
      `KIND is one of ${rateKinds.join(', ')}. Without a rate there is no call, and no trunk that forwards there.`,
      'For cnam_lookup PRICE is that of looking up one name, by the leading digits of the caller.',
    ].join('\n'),
    run: async ({ env, values, positionals: [kind = '', price = ''], out }) => {
      const account = values.account === undefined ? null : await requireAccount(env, values.account);
      const prefix = values.prefix ?? '';
      const before = await rateOf(env, kind, prefix, account?.id ?? null);
      await setVoiceRate(env, {
        kind: argument('KIND', kind, oneOf(...rateKinds)),
        prefix,
        ...(kind === 'cnam_lookup'
          ? { perMinute: '0', connectionFee: price }
          : { perMinute: price, connectionFee: values.fee ?? '0' }),
        ...intervalsOf(values.intervals),
        country: values.country ?? null,
        network: values.network ?? null,
        accountId: account?.id ?? null,
      });
      out(
        `${kind} ${values.prefix ?? '(any other)'}: ${money(price)} ${kind === 'cnam_lookup' ? 'a lookup' : 'a minute'}.`,
      );
      return {
        accountId: account?.id ?? null,
        subject: { type: 'voice_rates', id: `${kind} ${prefix || 'all'}` },
        before,
        after: await rateOf(env, kind, prefix, account?.id ?? null),
      };
    },
  }),
  environmentCommand({
    name: 'voice-rates list',
    summary: 'List what minutes cost.',
    run: async ({ env, printTable }) => {
      const rows = (await listVoiceRates(env)).map((rate) => [
        rate.kind,
        rate.prefix === '' ? '(any other)' : rate.prefix,
        money(rate.per_minute),
        money(rate.connection_fee),
        `${rate.initial_interval}/${rate.next_interval}`,
        [rate.country, rate.network].filter(Boolean).join(', '),
        rate.account_name ?? 'everyone',
      ]);
      const headings = ['KIND', 'PREFIX', 'A MINUTE', 'CONNECTION', 'INTERVALS', 'WHERE', 'FOR'];
      printTable(headings, rows, 'There are no rates.');
    },
  }),
  changeCommand({
    action: 'voice_out_trunk.updated',
    name: 'voice-out-trunks ip-only',
    summary: 'Let an outbound trunk in by its addresses alone, without credentials.',
    positionals: ['TRUNK-ID', 'ADDRESS...'],
    options: {
      'tech-prefix': { type: 'string', value: 'DIGITS', summary: 'must precede every number it dials (none)' },
    },
    notes: 'The customer can change it to one of the other methods, and not back.',
    run: async ({ env, values, positionals: [trunkId = '', ...addresses], out }) => {
      await allowByAddress(env, trunkId, { addresses, techPrefix: values['tech-prefix'] ?? null });
      out(`Trunk ${trunkId} is let in from ${addresses.join(', ')}.`);
      const after = { authentication: 'ip_only', addresses };
      return { subject: { type: 'voice_out_trunks', id: trunkId }, after };
    },
  }),
];

async function rateOf(
  { db }: Environment,
  kind: string,
  prefix: string,
  accountId: string | null,
): Promise<Record<string, unknown>> {
  const found = await db
    .selectFrom('voice_rates')
    .select(['per_minute', 'connection_fee', 'initial_interval', 'next_interval'])
    .where((where) => where.and({ kind: kind as (typeof rateKinds)[number], prefix }))
    .where('account_id', accountId === null ? 'is' : '=', accountId)
    .executeTakeFirst();
  return found ?? { per_minute: null };
}

const seconds = wholeNumber(1, 3600);

/** `60/6`, or one number for both. */
export function intervalsOf(given = '1/1'): { initialInterval: number; nextInterval: number } {
  const [first = '', next = first, ...rest] = given.split('/');
  const nextInterval = argument('The interval', rest.length > 0 ? given : next, seconds);
  return { initialInterval: argument('The interval', first, seconds), nextInterval };
}
