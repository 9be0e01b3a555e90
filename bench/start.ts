/** How long a start takes next to its least parts, and how much memory the server holds afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Pool } from 'undici';
import { openEmbeddedServer } from '../src/engines/db/embedded.ts';
import { startTrunkline, type Trunkline } from '../test/support/trunkline.ts';
import { commandCost } from './command-cost.ts';
import { median } from './load.ts';
import { unpackPackage } from './package.ts';
import type { Bench, Row } from './row.ts';

const rounds = 3;
const mixedRequests = Number(process.env.BENCH_REQUESTS ?? 200_000);
/** Of them, before memory is read for the first time: compiled code and full caches. */
const warmUp = Math.ceil(mixedRequests / 10);
const clients = 16;

/** A way to have the program, and what its start may cost. */
interface Form {
  readonly name: 'clone' | 'package';
  readonly command: readonly string[];
  /** Times a start of the least parts. */
  readonly mostFirst: number;
  readonly mostLater: number;
  readonly mostMebibytes: number;
}

/** As package.json has it, with the Node that runs this. */
const startScript = [process.execPath, path.resolve(import.meta.dirname, '../bin/trunkline.cjs')];

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
  run: (progress) =>
    inFolder(async (folder) => {
      progress('the package is made');
      const forms: Form[] = [
        // As `npm start` calls it: its sources, one by one.
        { name: 'clone', command: startScript, mostFirst: 6, mostLater: 3, mostMebibytes: 200 },
        // As the image has it.
        { name: 'package', command: await unpackPackage(folder), mostFirst: 4, mostLater: 2, mostMebibytes: 130 },
      ];
      const rows: Row[] = [];
      for (const form of forms) rows.push(...(await startOf(form, progress)), ...(await memory(form, progress)));
      return rows;
    }),
};

async function startOf(form: Form, progress: (text: string) => void): Promise<Row[]> {
  const times: Record<'first' | 'later' | 'bareFirst' | 'bareLater', number[]> = {
    first: [],
    later: [],
    bareFirst: [],
    bareLater: [],
  };
  for (let round = 0; round < rounds; round += 1) {
    progress(`${form.name}, round ${round + 1} of ${rounds}`);
    await inFolder(async (folder) => {
      times.first.push(await timeOf(() => startOnce(form, folder)));
      times.later.push(await timeOf(() => startOnce(form, folder)));
    });
    await inFolder(async (folder) => {
      times.bareFirst.push(await timeOf(() => startBare(folder)));
      times.bareLater.push(await timeOf(() => startBare(folder)));
    });
  }
  const compare = (measure: string, ours: number[], bare: number[], atMost: number): Row => ({
    measure: `${form.name}, ${measure}`,
    ratio: median(ours) / median(bare),
    required: { atMost },
    note: `${median(ours).toFixed(0)} ms and ${median(bare).toFixed(0)} ms`,
  });
  return [
    compare(
      'first start with the demo catalogue: Trunkline / initdb, PostgreSQL and a bare server',
      times.first,
      times.bareFirst,
      form.mostFirst,
    ),
    compare('later start: Trunkline / PostgreSQL and a bare server', times.later, times.bareLater, form.mostLater),
  ];
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-start-'));
  try {
    return await work(folder);
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

async function startOnce(form: Form, folder: string): Promise<() => Promise<unknown>> {
  const server = serve(form, folder);
  await server.ready();
  return () => server.stop();
}

const serve = (form: Form, folder: string): Trunkline =>
  // Keys of the size that people get: tests do with smaller ones.
  startTrunkline(folder, { TRUNKLINE_LOG_LEVEL: 'warn', TRUNKLINE_FILE_KEY_BITS: '4096' }, ['serve'], form.command);

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
async function memory(form: Form, progress: (text: string) => void): Promise<Row[]> {
  const rows: Row[] = [];
  await inFolder(async (folder) => {
    const server = serve(form, folder);
    try {
      const { environments } = await server.ready();
      const url = environments.sandbox?.url ?? '';
      const started = await mebibytes(server.pid);
      rows.push({
        measure: `${form.name}, resident memory after the first start: MiB / ${form.mostMebibytes}`,
        ratio: started / form.mostMebibytes,
        required: { atMost: 1 },
        note: `${started.toFixed(0)} MiB`,
      });
      if (form.name === 'package') rows.push(await commandCost(form.command, path.join(folder, 'data')));
      progress(`${form.name}, ${mixedRequests.toLocaleString('en')} mixed requests`);
      const key = await demoKey(folder);
      await send(url, key, warmUp);
      const before = await mebibytes(server.pid);
      await send(url, key, mixedRequests - warmUp);
      const after = await mebibytes(server.pid);
      rows.push({
        measure: `${form.name}, resident memory after ${mixedRequests.toLocaleString('en')} mixed requests / after the first tenth of them`,
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
