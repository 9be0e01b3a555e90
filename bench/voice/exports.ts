/** An export of a million CDRs, made by the server, next to PostgreSQL's own COPY piped through gzip. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureMonths } from '../../src/business/voice/months.ts';
import { exportQuery } from '../../src/interfaces/platform/exports/export-query.ts';
import { compareRates } from '../load.ts';
import type { Row } from '../row.ts';
import type { Served } from '../world.ts';
import type { VoiceWorld } from './world.ts';

const rowCount = 1_000_000;
const mebibyte = 1_048_576;

interface Made {
  seconds: number;
  /** The most that the server had resident while it was at it. */
  mebibytes: number;
}

export async function exportRows(world: VoiceWorld): Promise<Row[]> {
  const served = await world.serve();
  const { id: accountId } = await world.env.db
    .selectFrom('accounts')
    .select('id')
    .where('name', '=', 'Bench')
    .executeTakeFirstOrThrow();
  // All of it in the past: nothing of the future can be exported.
  const from = new Date(world.env.clock.now().getTime() - rowCount * 10 - 60_000);
  await recordCalls(world, accountId, from);
  const text = (at: Date) => at.toISOString().slice(0, 19).replace('T', ' ');
  const window = { from: text(from), to: text(new Date(from.getTime() + rowCount * 10 + 30_000)) };
  const made: Made[] = [];
  const rates = await compareRates(
    2,
    async () => {
      const one = await exportOnce(served, window);
      made.push(one);
      return rowCount / one.seconds;
    },
    async () => {
      const started = performance.now();
      await world.env.pool.query(
        `copy (${exportQuery('cdr_in', accountId, window)}) to program 'gzip > /dev/null' with (format csv, header)`,
      );
      return rowCount / ((performance.now() - started) / 1000);
    },
  );
  await served.process.stop();
  const { size } = await world.env.db.selectFrom('exports').select('size').limit(1).executeTakeFirstOrThrow();
  const most = Math.max(...made.map(({ mebibytes }) => mebibytes));
  return [
    {
      measure: 'rows exported a second, a million CDRs: Trunkline / COPY piped through gzip',
      ratio: rates.ratio,
      required: { atLeast: 0.5 },
      note: `${rates.left.toFixed(0)}/s and ${rates.right.toFixed(0)}/s, a file of ${((size ?? 0) / mebibyte).toFixed(0)} MiB`,
    },
    {
      measure: 'resident memory of the server that exports them: MiB / 200',
      ratio: most / 200,
      required: { atMost: 1 },
      note: `${most.toFixed(0)} MiB at most, the whole server`,
    },
  ];
}

async function recordCalls(world: VoiceWorld, accountId: string, from: Date): Promise<void> {
  await ensureMonths(world.env, 'cdrs_in', from, new Date(from.getTime() + rowCount * 10));
  await world.env.pool.query(
    `insert into cdrs_in (id, call_id, account_id, attempt, is_last, time_start, time_connect, time_end, success, src_number,
       did_number, duration, disconnect_code, response, disconnect_initiator, voice_in_trunk_name, destination, leg_call_id)
     select gen_random_uuid(), '10-' || n, $1, 1, true, $2::timestamptz + n * interval '10 milliseconds',
       $2::timestamptz + n * interval '10 milliseconds' + interval '2 seconds',
       $2::timestamptz + n * interval '10 milliseconds' + (n % 600) * interval '1 second', true, '1555' || (n * 7919) % 10000000,
       '4420' || (n * 104729) % 100000000, n % 600, 200, 'Bye', 'Origination', 'Primary SIP', 'sip:4420@sip.example.net:5060',
       md5(n::text) || '@trunkline'
     from generate_series(1, $3::bigint) n`,
    [accountId, from, rowCount],
  );
  await world.env.pool.query('vacuum analyze cdrs_in');
}

/** As a customer does it: asks for it, and looks until it is there. */
async function exportOnce({ url, key }: Served, window: { from: string; to: string }): Promise<Made> {
  const headers = { 'api-key': key, 'content-type': 'application/vnd.api+json' };
  const body = JSON.stringify({
    data: { type: 'exports', attributes: { export_type: 'cdr_in', filters: window } },
  });
  const started = performance.now();
  const asked = await fetch(`${url}/v3/exports`, { method: 'POST', headers, body });
  if (asked.status !== 201) throw new Error(`the export was refused: ${await asked.text()}`);
  const { data } = (await asked.json()) as { data: { id: string } };
  let mebibytes = 0;
  for (;;) {
    mebibytes = Math.max(mebibytes, await residentMebibytes(url));
    const answer = await fetch(`${url}/v3/exports/${data.id}`, { headers });
    if ((await answer.text()).includes('"status":"completed"')) break;
    await sleep(50);
  }
  return { seconds: (performance.now() - started) / 1000, mebibytes };
}

async function residentMebibytes(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const bytes = /^process_resident_memory_bytes(?:\{[^}]*\})? (\S+)/m.exec(metrics)?.[1];
  if (bytes === undefined) throw new Error('the server does not tell its memory');
  return Number(bytes) / mebibyte;
}
