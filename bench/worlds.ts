/**
 * Worlds: how soon one is there, what one costs while nobody uses it, and what a suite gains from having one for each
 * test.
 */
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import pg from 'pg';
import { type MadeWorld, send, WorldClient } from '../test/support/world-client.ts';
import { median } from './load.ts';
import type { Bench, Row } from './row.ts';
import { openWorld, type Served } from './world.ts';

const scale = Number(process.env.BENCH_WORLDS_SCALE ?? 1);
const rounds = Math.max(5, Math.round(20 * scale));
const idleWorlds = Math.max(5, Math.round(20 * scale));
const tests = Math.max(20, Math.round(400 * scale));
const workers = 4;

const mostMs = { fromPool: 50, beyondPool: 700 };
const mostIdleMebibytes = 8;
/** A file goes into a repository, so it has the rows alone, compressed: far less than the database with its indexes. */
const mostOfDatabase = 0.1;
/** Of four workers against one; the server and its database need cores of their own. */
const leastGain = os.availableParallelism() >= 8 ? 3 : 1.5;

export const worlds: Bench = {
  name: 'worlds',
  run: async (progress) => {
    const place = await openWorld();
    try {
      const limits = { TRUNKLINE_WORLDS: '200', TRUNKLINE_LOG_LEVEL: 'error' };
      for (const name of ['pooled', 'bare', 'suites']) await place.server.createDatabase(name);
      const pooled = await place.serve('pooled', { ...limits, TRUNKLINE_WORLDS_READY: '4' });
      progress(`${rounds} worlds from the pool and beyond it`);
      const fromPool = await timesOf(pooled, 'demo', () => poolIsFull(place.server.url('pooled'), 4));
      const snapshot = await snapshotSize(pooled, place.server.url('pooled'));
      const byHand = await cloneByHand(place.server.url('pooled'));
      progress(`${idleWorlds} idle worlds`);
      const idle = await idleMebibytes(pooled);
      await pooled.process.stop();

      const bare = await place.serve('bare', { ...limits, TRUNKLINE_WORLDS_READY: '0' });
      const beyondPool = await timesOf(bare, 'demo', async () => undefined);
      await bare.process.stop();

      const suites = await place.serve('suites', { ...limits, TRUNKLINE_WORLDS_READY: '8' });
      progress(`${tests} tests one after another with resets`);
      const inARow = await suiteInARow(suites, progress);
      progress(`${tests} tests with a world each, ${workers} at a time`);
      const inParallel = await suiteInParallel(suites, progress);
      return [
        most('a world from the pool: ms', median(fromPool), mostMs.fromPool, 'ms'),
        most('a world beyond the pool: ms', median(beyondPool), mostMs.beyondPool, 'ms'),
        {
          measure: 'a world beyond the pool / the same database cloned by hand',
          ratio: median(beyondPool) / median(byHand),
          required: { atMost: 3 },
          note: `${median(beyondPool).toFixed(0)} ms and ${median(byHand).toFixed(0)} ms`,
        },
        most('resident memory of an idle world: MiB', idle, mostIdleMebibytes, 'MiB'),
        {
          measure: 'a snapshot of the demo catalogue as a file / its database on disk',
          ratio: snapshot.file / snapshot.database,
          required: { atMost: mostOfDatabase },
          note: `${mebibytesOf(snapshot.file)} and ${mebibytesOf(snapshot.database)}`,
        },
        {
          measure: `${tests} small tests: one after another with resets / ${workers} at a time with a world each`,
          ratio: inARow / inParallel,
          required: { atLeast: leastGain },
          note: `${(inARow / 1000).toFixed(1)} s and ${(inParallel / 1000).toFixed(1)} s on ${os.availableParallelism()} cores`,
        },
      ];
    } finally {
      await place.close();
    }
  },
};

function most(measure: string, value: number, limit: number, unit: string): Row {
  return {
    measure: `${measure} / ${limit}`,
    ratio: value / limit,
    required: { atMost: 1 },
    note: `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`,
  };
}

const make = async ({ url, key }: Served, from: string): Promise<WorldClient> =>
  new WorldClient(await send<MadeWorld>('POST', `${url}/sandbox/v1/worlds`, { 'api-key': key }, { from }));

const end = ({ url, key }: Served, { made }: WorldClient): Promise<unknown> =>
  send('DELETE', `${url}/sandbox/v1/worlds/${made.id}`, { 'api-key': key });

/** Milliseconds of each; the first makes the template, and does not count. */
async function timesOf(served: Served, from: string, isPrepared: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    await isPrepared();
    const began = performance.now();
    const world = await make(served, from);
    if (round > 0) times.push(performance.now() - began);
    await end(served, world);
  }
  return times;
}

async function poolIsFull(url: string, ready: number): Promise<void> {
  for (;;) {
    const [row] = await query<{ n: number; any: number }>(
      url,
      "select (count(*) filter (where state = 'ready'))::int as n, count(*)::int as any from worlds",
    );
    if (row?.any === 0 || row?.n === ready) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function query<T extends pg.QueryResultRow>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

/** What PostgreSQL itself needs for a clone of the template. */
async function cloneByHand(url: string): Promise<number[]> {
  const [template] = await query<{ datname: string }>(
    url,
    "select datname from pg_database where datname like 'pooled_t_demo%'",
  );
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    await query(url, `create database by_hand template ${pg.escapeIdentifier(template?.datname ?? '')}`);
    times.push(performance.now() - began);
    await query(url, 'drop database by_hand');
  }
  return times;
}

async function snapshotSize(served: Served, url: string): Promise<{ file: number; database: number }> {
  const world = await make(served, 'demo');
  const owner = { 'api-key': served.key };
  await send('POST', `${served.url}/sandbox/v1/snapshots`, owner, { name: 'demo-file', world: world.made.id });
  const file = await fetch(`${served.url}/sandbox/v1/snapshots/demo-file`, { headers: owner });
  const bytes = (await file.arrayBuffer()).byteLength;
  const [size] = await query<{ bytes: string }>(
    url,
    "select max(pg_database_size(oid)) as bytes from pg_database where datname like 'pooled_s_%'",
  );
  await end(served, world);
  return { file: bytes, database: Number(size?.bytes) };
}

const mebibytesOf = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** Of the server's process, for each world that was used once and then left alone. */
async function idleMebibytes(served: Served): Promise<number> {
  const used: WorldClient[] = [];
  const use = async () => {
    const world = await make(served, 'demo');
    await smallTest(world);
    used.push(world);
  };
  for (let warm = 0; warm < 3; warm++) await use();
  await allClosed(served);
  const before = await mebibytes(served.process.pid);
  for (let count = 0; count < idleWorlds; count++) await use();
  await allClosed(served);
  const after = await mebibytes(served.process.pid);
  for (const world of used) await end(served, world);
  return Math.max(0, after - before) / idleWorlds;
}

/** Worlds are closed after some seconds without a request. */
async function allClosed({ process: { pid } }: Served): Promise<void> {
  const quietMs = 22_000;
  await new Promise((resolve) => setTimeout(resolve, quietMs));
  process.kill(pid, 0);
}

async function mebibytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}

/** What a small test does: a trunk is made, found and read. */
async function smallTest(world: WorldClient): Promise<void> {
  const configuration = { type: 'sip_configurations', attributes: { host: 'sip.example.net', codec_ids: [9] } };
  const attributes = { name: 'office', configuration };
  const { data } = await world.v3<{ data: { id: string } }>('POST', '/voice_in_trunks', {
    type: 'voice_in_trunks',
    attributes,
  });
  await world.v3('GET', `/voice_in_trunks/${data.id}`);
  const { data: all } = await world.v3<{ data: unknown[] }>('GET', '/voice_in_trunks');
  if (all.length !== 1) throw new Error(`a test found ${all.length} trunks`);
}

type Progress = Parameters<Bench['run']>[0];

/** Says now and then how many tests are done; together the two suites take minutes. */
function counter(progress: Progress): () => void {
  let done = 0;
  return () => {
    done += 1;
    if (done % 50 === 0) progress(`${done} of ${tests} tests`);
  };
}

async function suiteInARow(served: Served, progress: Progress): Promise<number> {
  const world = await make(served, 'empty');
  const count = counter(progress);
  const began = performance.now();
  for (let test = 0; test < tests; test++) {
    await smallTest(world);
    await send('POST', `${served.url}/sandbox/v1/worlds/${world.made.id}/reset`, { 'api-key': served.key }, {});
    count();
  }
  const took = performance.now() - began;
  await end(served, world);
  return took;
}

async function suiteInParallel(served: Served, progress: Progress): Promise<number> {
  let left = tests;
  const count = counter(progress);
  const began = performance.now();
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (left-- > 0) {
        const world = await make(served, 'empty');
        await smallTest(world);
        await end(served, world);
        count();
      }
    }),
  );
  return performance.now() - began;
}
