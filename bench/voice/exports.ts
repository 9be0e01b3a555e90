/** An export of a million CDRs next to PostgreSQL's own COPY piped through gzip. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { exportQuery } from '../../src/platform/exports/export-query.ts';
import { ensureMonths } from '../../src/voice/months.ts';
import { compareRates } from '../load.ts';
import type { Row } from '../row.ts';
import type { VoiceWorld } from './world.ts';

const ROWS = 1_000_000;

interface Made {
  seconds: number;
  size: number;
  mebibytes: number;
}

export async function exportRows(world: VoiceWorld): Promise<Row[]> {
  const accountId = await world.telephony.account();
  const from = world.env.clock.now();
  await recordCalls(world, accountId, from);
  const text = (at: Date) => at.toISOString().slice(0, 19).replace('T', ' ');
  const window = { from: text(from), to: text(new Date(from.getTime() + ROWS * 10 + 1000)) };
  const made: Made[] = [];
  const rates = await compareRates(
    2,
    async () => {
      const one = await exportOnce(world, accountId, window);
      made.push(one);
      return ROWS / one.seconds;
    },
    async () => {
      const started = performance.now();
      await world.env.pool.query(
        `copy (${exportQuery('cdr_in', accountId, window)}) to program 'gzip > /dev/null' with (format csv, header)`,
      );
      return ROWS / ((performance.now() - started) / 1000);
    },
  );
  const most = Math.max(...made.map(({ mebibytes }) => mebibytes));
  return [
    {
      measure: 'rows exported a second, a million CDRs: Trunkline / COPY piped through gzip',
      ratio: rates.ratio,
      required: { atLeast: 0.5 },
      note: `${rates.left.toFixed(0)}/s and ${rates.right.toFixed(0)}/s, a file of ${((made[0]?.size ?? 0) / 1_048_576).toFixed(0)} MiB`,
    },
    {
      measure: 'resident memory of the process that exports them: MiB / 200',
      ratio: most / 200,
      required: { atMost: 1 },
      note: `${most.toFixed(0)} MiB at most`,
    },
  ];
}

async function recordCalls(world: VoiceWorld, accountId: string, from: Date): Promise<void> {
  await ensureMonths(world.env, 'cdrs_in', from, new Date(from.getTime() + ROWS * 10));
  await world.env.pool.query(
    `insert into cdrs_in (id, call_id, account_id, attempt, is_last, time_start, time_connect, time_end, success, src_number,
       did_number, duration, disconnect_code, response, disconnect_initiator, voice_in_trunk_name, destination, leg_call_id)
     select gen_random_uuid(), '10-' || n, $1, 1, true, $2::timestamptz + n * interval '10 milliseconds',
       $2::timestamptz + n * interval '10 milliseconds' + interval '2 seconds',
       $2::timestamptz + n * interval '10 milliseconds' + (n % 600) * interval '1 second', true, '1555' || (n * 7919) % 10000000,
       '4420' || (n * 104729) % 100000000, n % 600, 200, 'Bye', 'Origination', 'Primary SIP', 'sip:4420@sip.example.net:5060',
       md5(n::text) || '@trunkline'
     from generate_series(1, $3::bigint) n`,
    [accountId, from, ROWS],
  );
  await world.env.pool.query('vacuum analyze cdrs_in');
}

async function exportOnce(world: VoiceWorld, accountId: string, window: { from: string; to: string }): Promise<Made> {
  const id = randomUUID();
  await world.env.db
    .insertInto('exports')
    .values({
      id,
      account_id: accountId,
      export_type: 'cdr_in',
      filters: JSON.stringify(window),
      base_url: '',
      created_at: world.env.clock.now(),
    })
    .execute();
  const script = path.join(import.meta.dirname, '../servers/export-once.ts');
  const child: ChildProcess = fork(script, [world.databaseUrl, world.folder, id, accountId, window.from, window.to]);
  const [made]: Made[] = await once(child, 'message');
  if (made === undefined) throw new Error('the export did not say how it went');
  await once(child, 'exit');
  return made;
}
