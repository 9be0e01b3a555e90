/** Trunkline as a SIP process of its own (role `voice`), with customers whose numbers ring at sipp. */
import pg from 'pg';
import { createCarrier } from '../../src/business/voice/carriers/carriers.ts';
import { createTelephony } from '../../test/support/telephony.ts';
import type { World } from '../world.ts';
import type { SipServer } from './sip-server.ts';

const customers = 10;
const numbersEach = 20;
const database = 'sip';

/** The events are stored for receivers that are never asked: delivering them is the work of the role `worker`. */
const callEvents = { url: 'http://127.0.0.1:9/events', gzip: false };

/** Signalling only, as what it is compared with, unless `media` says more. */
export async function startMeasuredTrunkline(
  world: World,
  calleePort: number,
  callsPerSecond: number,
  media: Record<string, string> = { TRUNKLINE_MEDIA: 'direct' },
): Promise<SipServer> {
  const url = world.server.url(database);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const served = await world.serve(database, {
    TRUNKLINE_ROLES: 'voice',
    TRUNKLINE_SANDBOX_SIP_PORT: '0',
    TRUNKLINE_LOG_LEVEL: 'warn',
    TRUNKLINE_SIP_CALLS_PER_SECOND: String(callsPerSecond),
    ...media,
    NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS ?? '',
  });
  await pool.query(`update voice_in_trunks set configuration = configuration || jsonb_build_object('port', $1::int)`, [
    calleePort,
  ]);
  const { rows } = await pool.query<{ number: string }>('select number from dids order by number');
  const ready = await served.process.ready();
  return {
    name: 'Trunkline',
    port: ready.environments.sandbox?.sip?.udp ?? 0,
    pid: served.process.pid,
    numbers: rows.map(({ number }) => number),
    recorded: async () => {
      const { rows } = await pool.query(
        `select least((select count(*)::int from cdrs_in), (select count(*)::int from call_events) / 3) as calls,
                (select count(*)::int from open_calls) as open`,
      );
      return rows[0];
    },
    stop: async () => {
      await served.process.stop();
      await pool.end();
    },
  };
}

/** The sandbox's database: ten customers, and a carrier whose calls come from this machine. */
export const prepareTrunkline = (world: World): Promise<void> =>
  world.prepare(database, async (env) => {
    const telephony = await createTelephony(env);
    await createCarrier(env, { name: 'sipp', addresses: ['127.0.0.1'] });
    for (let customer = 0; customer < customers; customer++) {
      const accountId = await telephony.account({ callEvents });
      const trunkId = await telephony.trunk(accountId, {}, { host: '127.0.0.1', port: 5060 });
      for (let number = 0; number < numbersEach; number++) {
        await telephony.did(accountId, { voice_in_trunk_id: trunkId, channels_included_count: 1_000 });
      }
    }
  });
