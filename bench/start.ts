/** How long a start takes next to its least parts, and how much memory the server holds afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Pool } from 'undici';
import { openEmbeddedServer } from '../src/db/embedded.ts';
import { startTrunkline, type Trunkline } from '../test/support/trunkline.ts';
import { commandCost } from './command-cost.ts';
import { median } from './load.ts';
import type { Bench, Row } from './row.ts';

const rounds = 3;
const mixedRequests = Number(process.env.BENCH_REQUESTS ?? 200_000);
/** Of them, before memory is read for the first time: compiled code and full caches. */
const warmUp = Math.ceil(mixedRequests / 10);
const clients = 16;
const mostMebibytes = 130;

const paths = [
  '/v3/balance',
  '/v3/countries',
  '/v3/cities',
  '/v3/did_groups?include=country',
  '/v3/available_dids',
  '/v3/dids',
  '/v3/orders',
];

export const start: Bench = {
  name: 'start',
  run: async (progress) => {
    const times: Record<'first' | 'later' | 'bareFirst' | 'bareLater', number[]> = {
      first: [],
      later: [],
      bareFirst: [],
      bareLater: [],
    };
    for (let round = 0; round < rounds; round += 1) {
      progress(`round ${round + 1} of ${rounds}`);
      await inFolder(async (folder) => {
        times.first.push(await timeOf(() => startOnce(folder)));
        times.later.push(await timeOf(() => startOnce(folder)));
      });
      await inFolder(async (folder) => {
        times.bareFirst.push(await timeOf(() => startBare(folder)));
        times.bareLater.push(await timeOf(() => startBare(folder)));
      });
    }
    const compare = (measure: string, ours: number[], bare: number[], atMost: number): Row => ({
      measure,
      ratio: median(ours) / median(bare),
      required: { atMost },
      note: `${median(ours).toFixed(0)} ms and ${median(bare).toFixed(0)} ms`,
    });
    return [
      compare(
        'first start with the demo catalogue: Trunkline / initdb, PostgreSQL and a bare server',
        times.first,
        times.bareFirst,
        4,
      ),
      compare('later start: Trunkline / PostgreSQL and a bare server', times.later, times.bareLater, 2),
      ...(await memory(progress)),
    ];
  },
};

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-start-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Milliseconds until it is ready; stopping it does not count. */
async function timeOf(begin: () => Promise<() => Promise<unknown>>): Promise<number> {
  const began = performance.now();
  const stop = await begin();
  const took = performance.now() - began;
  await stop();
  return took;
}

async function startOnce(folder: string): Promise<() => Promise<unknown>> {
  const server = serve(folder);
  await server.ready();
  return () => server.stop();
}

const serve = (folder: string): Trunkline => startTrunkline(folder, { TRUNKLINE_LOG_LEVEL: 'warn' });

async function startBare(folder: string): Promise<() => Promise<unknown>> {
  const database = await openEmbeddedServer({ dataDirectory: folder });
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'servers/least.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DATABASE_URL: database.url('postgres'), LEAST_ACCOUNT: '' },
  });
  await once(child.stdout, 'data');
  return async () => {
    child.kill();
    await database.close();
  };
}

/** Of the server's process alone, both environments in it. */
async function memory(progress: (text: string) => void): Promise<Row[]> {
  const rows: Row[] = [];
  await inFolder(async (folder) => {
    const server = serve(folder);
    try {
      const { environments } = await server.ready();
      const url = environments.sandbox?.url ?? '';
      const started = await mebibytes(server.pid);
      rows.push({
        measure: `resident memory after the start: MiB / ${mostMebibytes}`,
        ratio: started / mostMebibytes,
        required: { atMost: 1 },
        note: `${started.toFixed(0)} MiB`,
      });
      rows.push(await commandCost(path.join(folder, 'data')));
      progress(`${mixedRequests.toLocaleString('en')} mixed requests`);
      const key = await demoKey(folder);
      await send(url, key, warmUp);
      const before = await mebibytes(server.pid);
      await send(url, key, mixedRequests - warmUp);
      const after = await mebibytes(server.pid);
      rows.push({
        measure: `resident memory after ${mixedRequests.toLocaleString('en')} mixed requests / after the first tenth of them`,
        ratio: after / before,
        required: { atMost: 1.05 },
        note: `${after.toFixed(0)} MiB and ${before.toFixed(0)} MiB`,
      });
    } finally {
      await server.stop();
    }
  });
  return rows;
}

async function mebibytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}

/** The key of the account that a first start makes. */
async function demoKey(folder: string): Promise<string> {
  const text = await readFile(path.join(folder, 'data/demo.sandbox.json'), 'utf8');
  const { sandbox } = JSON.parse(text);
  return sandbox.accounts[0].api_keys[0].key;
}

/** Requests of every kind in turns. */
async function send(url: string, key: string, count: number): Promise<void> {
  const pool = new Pool(url, { connections: clients });
  let left = count;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (left > 0) {
        left -= 1;
        const { statusCode, body } = await pool.request({
          path: paths[left % paths.length] ?? '',
          method: 'GET',
          headers: { 'api-key': key },
        });
        await body.dump();
        if (statusCode !== 200) throw new Error(`a request got the response ${statusCode}`);
      }
    }),
  );
  await pool.close();
}
