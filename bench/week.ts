/**
 * A week of the sandbox's time under load: calls, codes, orders and reads in every hour of it. What a day costs and
 * leaves behind must be the same on the last day as on the second (the first has empty tables and cold code).
 * `BENCH_WEEK_CALLS=1000000` is a million calls; the default is a week of few.
 */
import { randomInt } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { Pool } from 'undici';
import { generateNumbers } from '../src/business/catalogue/generate.ts';
import { verifyLedger } from '../src/business/money/ledger-checks.ts';
import { createDatabase, createPool } from '../src/engines/db/pool.ts';
import { createApplication } from '../src/interfaces/verification/application.writes.ts';
import { createTelephony } from '../test/support/telephony.ts';
import { VerificationClient } from '../test/support/verification-client.ts';
import { median } from './load.ts';
import { type Counter, openCounter, sendOrder } from './orders.ts';
import { familyRanMs, familySeconds, postmasterOf, processorSeconds } from './processor.ts';
import type { Bench, Row } from './row.ts';
import { openWorld, type Served } from './world.ts';

const calls = Number(process.env.BENCH_WEEK_CALLS ?? 8_400);
const [days, hours, clients, numbers] = [7, 24, 16, 100];
/** One of each for so many calls. */
const [perCode, perOrder, perRead] = [20, 50, 10];
const dayMs = 86_400_000;

interface Shop extends Counter {
  application: { key: string; secret: string };
  numbers: string[];
}

interface Day {
  /** Milliseconds of processor time for one call and its part of the rest, of server and PostgreSQL. */
  work: number;
  /** The same for one page of numbers, and how long it took. */
  readWork: number;
  readMs: number;
  mebibytes: number;
  files: number;
  /** Of tables that hold little at any time, such as jobs and active calls: they grow by what is not cleaned up. */
  small: number;
  /** By which the whole database has grown. */
  grown: number;
}

export const week: Bench = {
  name: 'week',
  run: async (progress) => {
    const world = await openWorld();
    try {
      const prepared: Shop[] = [];
      await world.prepare('week', async (env) => {
        const telephony = await createTelephony(env);
        const { rows } = await env.pool.query('select did_group_id from stock_keeping_units order by 1 limit 1');
        await generateNumbers(env, Math.ceil(calls / perOrder) + 1_000, { groups: [rows[0].did_group_id] });
        const counter = await openCounter(env);
        const [owner] = counter.accounts;
        const account = owner?.id ?? '';
        const { key, secret } = await createApplication(env, account, { name: 'web' });
        const voice_in_trunk_id = await telephony.trunk(account);
        const bought: string[] = [];
        for (let n = 0; n < numbers; n += 1)
          bought.push((await telephony.did(account, { voice_in_trunk_id, channels_included_count: 100 })).number);
        await env.pool.query('vacuum analyze');
        prepared.push({ ...counter, application: { key, secret: secret.reveal() }, numbers: bought });
      });
      const served = await world.serve('week', { TRUNKLINE_LOG_LEVEL: 'warn' });
      const [shop] = prepared;
      if (shop === undefined) throw new Error('the shop was not prepared');
      return await live(served, shop, world.server.url('week'), progress);
    } finally {
      await world.close();
    }
  },
};

async function live(served: Served, shop: Shop, url: string, progress: (text: string) => void): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const postmaster = await postmasterOf(url);
  // Numbers that were laid out and not bought have an order without items.
  const laidOut = await offencesIn(url);
  const all: Day[] = [];
  for (let day = 1; day <= days; day += 1) {
    all.push(await oneDay(served, shop, client, postmaster, all));
    const { work, mebibytes, files, small } = all.at(-1) ?? ({} as Day);
    progress(
      `day ${day}: ${work.toFixed(1)} ms a call, ${mebibytes.toFixed(0)} MiB, ${files} files, ${small.toFixed(1)} MiB in small tables`,
    );
  }
  const { rows } = await client.query('select count(*)::int as n from cdrs_in');
  const metrics = await (await fetch(`${served.url}/metrics`)).text();
  await client.end();
  const offended = (await offencesIn(url)).filter((offence) => !laidOut.includes(offence));
  const figures = (name: string) =>
    [...metrics.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].map(([, value]) => Number(value));
  const failed = [...metrics.matchAll(/^trunkline_jobs_backlog\{[^}]*task="([^"]+)"[^}]*state="failed"/gm)].map(
    ([, task = '']) => task,
  );
  const row = (measure: string, figure: keyof Day, atMost: number, unit: string): Row => {
    const [second = Number.NaN, last = Number.NaN] = [all[1]?.[figure], all.at(-1)?.[figure]];
    return {
      measure: `${measure}: the last day / the second`,
      ratio: last / second,
      required: { atMost },
      note: `${last.toFixed(1)} and ${second.toFixed(1)} ${unit}`,
    };
  };
  return [
    row('processor time of a call, with its part of codes, orders, reads and jobs', 'work', 1.25, 'ms'),
    row('processor time of a page of numbers, median', 'readWork', 1.25, 'ms'),
    row('latency of a page of numbers, median', 'readMs', 1.5, 'ms'),
    row('memory of the process', 'mebibytes', 1.25, 'MiB'),
    row('open files of the process', 'files', 1.2, 'files'),
    row('size of tables that hold little', 'small', 2, 'MiB'),
    row('what a day adds to the database', 'grown', 1.25, 'MiB'),
    { measure: 'calls without a CDR', ratio: calls - rows[0].n, required: { atMost: 0 }, note: `${rows[0].n} CDRs` },
    {
      measure: 'checks of the ledger that fail, and tasks with jobs that gave up',
      ratio: offended.length + failed.length,
      required: { atMost: 0 },
      note: [...offended, ...failed].join(', ') || 'none',
    },
    {
      measure: 'months ahead for which every table has its partition',
      ratio: Math.min(...figures('trunkline_partitions_ahead')),
      required: { atLeast: 1 },
      note: 'by the metrics at the end',
    },
  ];
}

async function oneDay(
  served: Served,
  shop: Shop,
  client: pg.Client,
  postmaster: number,
  before: readonly Day[],
): Promise<Day> {
  const { pid } = served.process;
  const worked = async () => ((await processorSeconds(pid)) ?? 0) + (await familySeconds(postmaster));
  const began = await worked();
  const sizeBefore = await sizeOf(client, 'pg_database_size(current_database())');
  const perHour = Math.round(calls / days / hours);
  for (let hour = 0; hour < hours; hour += 1) {
    const isLast = before.length === days - 1 && hour === hours - 1;
    await oneHour(served, shop, isLast ? calls - perHour * (days * hours - 1) : perHour);
  }
  const reads = await readsOf(served, shop, async () => (await familyRanMs(pid)) + (await familyRanMs(postmaster)));
  const work = (((await worked()) - began) * 1000) / (calls / days);
  const [, resident = '0'] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ');
  const small = `(select coalesce(sum(pg_total_relation_size(relid)), 0) from pg_stat_user_tables
    where n_live_tup < 2000 and relname !~ '_(\\d{4}_?\\d{2})$')`;
  return {
    ...{ work, ...reads },
    mebibytes: (Number(resident) * 4096) / 2 ** 20,
    files: (await readdir(`/proc/${pid}/fd`)).length,
    small: await sizeOf(client, small),
    grown: (await sizeOf(client, 'pg_database_size(current_database())')) - sizeBefore,
  };
}

/** What the checks of the ledger find, with the name of the check. */
async function offencesIn(url: string): Promise<string[]> {
  const pool = createPool(url);
  const checks = await verifyLedger(createDatabase(pool));
  await pool.end();
  return checks.flatMap(({ name, offences }) => offences.map((offence) => `${name}: ${JSON.stringify(offence)}`));
}

async function sizeOf(client: pg.Client, what: string): Promise<number> {
  const { rows } = await client.query<{ mebibytes: number }>(`select (${what} / 1048576.0)::float8 as mebibytes`);
  return rows[0]?.mebibytes ?? Number.NaN;
}

async function oneHour({ url }: Served, shop: Shop, count: number): Promise<void> {
  const pool = new Pool(url, { connections: clients });
  const codes = new VerificationClient(url, shop.application);
  const [{ key } = { key: '' }] = shop.accounts;
  const send = async (path: string, body?: object) => {
    const headers = { 'api-key': key, ...(body && { 'content-type': 'application/json' }) };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await pool.request({ path, method: body ? 'POST' : 'GET', headers, ...sent });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`${path} was answered with ${response.statusCode}: ${text}`);
  };
  let next = 0;
  const caller = async () => {
    for (let n = next++; n < count; n = next++) {
      const did_number = shop.numbers[n % shop.numbers.length];
      const script = { outcomes: [{ code: 200, ring_seconds: 2 }], talk_seconds: 30 };
      await send('/sandbox/v1/calls', { did_number, src_number: '15550100', script });
      if (n % perRead === 0) await send(pageOfNumbers);
      if (n % perCode === 0) {
        const destination = `4915${String(randomInt(1e9)).padStart(9, '0')}`;
        const { status } = await codes.start({ destination, delivery_method: 'sms' });
        if (status !== 201) throw new Error(`a start was answered with ${status}`);
      }
      if (n % perOrder === 0) {
        const status = await sendOrder(pool, key, shop.sku);
        if (status !== 201) throw new Error(`an order was answered with ${status}`);
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, caller));
  await send('/sandbox/v1/clock', { advance_seconds: dayMs / hours / 1000 });
  await pool.close();
}

const pageOfNumbers = '/v3/dids?include=voice_in_trunk,did_group&page[size]=50';

async function readsOf({ url }: Served, { accounts }: Shop, ran: () => Promise<number>) {
  const headers = { 'api-key': accounts[0]?.key ?? '' };
  const pool = new Pool(url, { connections: 1 });
  const [times, works]: [number[], number[]] = [[], []];
  for (let n = 0; n < 50; n += 1) {
    const [before, began] = [await ran(), performance.now()];
    await (await pool.request({ path: pageOfNumbers, method: 'GET', headers })).body.text();
    times.push(performance.now() - began);
    works.push((await ran()) - before);
  }
  await pool.close();
  return { readWork: median(works), readMs: median(times) };
}
