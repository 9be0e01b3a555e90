/**
 * What customers of production feel while others use the sandbox of the same process: the 99th percentile of
 * production's reads beside snapshots, worlds, seeds and advances, and beside operators' acts on many records, next to
 * that of a quiet process, in turns.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Pool } from 'undici';
import { startTrunkline, type Trunkline } from '../test/support/trunkline.ts';
import { type MadeWorld, send } from '../test/support/world-client.ts';
import { median } from './load.ts';
import type { Bench, Row } from './row.ts';
import { openWorld } from './world.ts';

const rounds = 5;
const seconds = 3;
const clients = 4;
const ownedNumbers = 2_000;
const dayMs = 86_400_000;

const key = 'bench-key-bench-key-bench-key';
const operatorKey = 'bench-operator-key-bench-operator-key';
/** Of one stock act, import or price list. */
const linesAtOnce = 50_000;
const stockPrefix = '4420390';
const jsonApi = 'application/vnd.api+json';
/** Two cores are shared by the process, PostgreSQL and the clients, so work beside them cannot be free. */
const mostOfQuiet = 4;

export const sandboxLoad: Bench = {
  name: 'sandbox-load',
  run: async (progress) => {
    const place = await openWorld();
    let child: Trunkline | null = null;
    try {
      for (const name of ['production', 'sandbox']) await place.server.createDatabase(name);
      const folder = path.join(place.folder, 'both');
      await mkdir(folder);
      const account = { name: 'Bench', balance: '1000000.00', api_keys: [{ name: 'bench', key }] };
      const bootstrap = path.join(folder, 'bootstrap.json');
      await writeFile(
        bootstrap,
        JSON.stringify({
          production: { accounts: [account] },
          sandbox: {
            accounts: [
              {
                ...account,
                otp_applications: [{ name: 'web', key: randomUUID(), secret: randomBytes(32).toString('base64url') }],
              },
            ],
            operators: [
              {
                email: 'bench@operator.test',
                password: randomBytes(18).toString('base64url'),
                role: 'owner',
                api_keys: [{ name: 'bench', key: operatorKey }],
              },
            ],
          },
        }),
      );
      const delayFile = path.join(folder, 'loop-delay.json');
      child = startTrunkline(folder, {
        DATABASE_URL: place.server.url('production'),
        SANDBOX_DATABASE_URL: place.server.url('sandbox'),
        TRUNKLINE_BOOTSTRAP: bootstrap,
        TRUNKLINE_SERVER_KEY: Buffer.alloc(32, 9).toString('base64'),
        TRUNKLINE_LOG_LEVEL: 'warn',
        TRUNKLINE_WORLDS: '50',
        NODE_OPTIONS: `--import=${pathToFileURL(path.join(import.meta.dirname, 'servers/loop-delay.ts'))}`,
        LOOP_DELAY_FILE: delayFile,
      });
      const { environments, pid } = await child.ready();
      const [production, sandbox] = [environments.production?.url ?? '', environments.sandbox?.url ?? ''];
      progress('a catalogue and owned numbers in the sandbox');
      await fill(sandbox);
      const held = () => longestHold(pid, delayFile);
      const rows: Row[] = [];
      for (const [name, work] of Object.entries(loads(sandbox))) {
        progress(name);
        rows.push(...(await beside(name, work, production, held)));
      }
      return rows;
    } finally {
      await child?.stop();
      await place.close();
    }
  },
};

const control = <T>(sandbox: string, method: string, what: string, body?: object): Promise<T> =>
  send(method, `${sandbox}/sandbox/v1${what}`, { 'api-key': key }, body);

/** Numbers that are due again and again when the clock advances. */
async function fill(sandbox: string): Promise<void> {
  await control(sandbox, 'POST', '/seed', { catalogue: 'demo' });
  for (let made = 0; made < ownedNumbers; made += 500) {
    const numbers = Array.from({ length: 500 }, () => ({ country: 'GB', prefix: '20', state: 'active' }));
    await control(sandbox, 'POST', '/seed', { accounts: [{ numbers }] });
  }
  await importNumbers(sandbox, stockPrefix, false);
}

const operate = (sandbox: string, method: string, what: string, type: string, attributes?: object) =>
  send<{ data: { id: string; attributes: Record<string, unknown> } }>(
    method,
    `${sandbox}/operator/v1${what}`,
    { 'api-key': operatorKey, accept: jsonApi },
    attributes && { data: { type, attributes } },
    jsonApi,
  );

const bulk = (sandbox: string, type: string, attributes: object) =>
  operate(sandbox, 'POST', `/${type}`, type, { reason: 'bench', ...attributes });

/** Numbers of London, in a file that is sent by itself. */
async function importNumbers(sandbox: string, prefix: string, dryRun: boolean): Promise<void> {
  const { data } = await bulk(sandbox, 'catalogue_imports', { name: 'bench.csv', dry_run: dryRun });
  const lines = Array.from({ length: linesAtOnce }, (_, n) => `${prefix}${String(n).padStart(5, '0')},GB,20`);
  const response = await fetch(`${sandbox}/operator/v1/catalogue_imports/${data.id}/content`, {
    method: 'PUT',
    headers: { 'api-key': operatorKey, 'content-type': 'text/csv' },
    body: `number,country,prefix\n${lines.join('\n')}\n`,
  });
  if (response.status !== 202) throw new Error(`the file was ${response.status}: ${await response.text()}`);
  for (;;) {
    const found = await operate(sandbox, 'GET', `/catalogue_imports/${data.id}`, 'catalogue_imports');
    const { status, problem, errors } = found.data.attributes;
    if (status === 'done') return;
    if (status === 'failed') throw new Error(`the import failed: ${problem} ${errors}`);
    await sleep(20);
  }
}

/** Each does its work once. */
function loads(sandbox: string): Readonly<Record<string, () => Promise<unknown>>> {
  let made = 0;
  return {
    snapshots: async () => {
      made += 1;
      await control(sandbox, 'POST', '/snapshots', { name: `bench-${made}` });
      await control(sandbox, 'DELETE', `/snapshots/bench-${made}`);
    },
    worlds: async () => {
      const { id } = await control<MadeWorld>(sandbox, 'POST', '/worlds', { from: 'demo' });
      await control(sandbox, 'DELETE', `/worlds/${id}`);
    },
    seeds: async () => {
      const verifications = Array.from({ length: 300 }, () => {
        made += 1;
        return { destination: `4915${String(made).padStart(8, '0')}`, status: 'verified' };
      });
      const numbers = Array.from({ length: 100 }, () => ({ country: 'GB', prefix: '20', state: 'active' }));
      await control(sandbox, 'POST', '/seed', { accounts: [{ verifications, numbers }] });
    },
    'imports of catalogues': () => importNumbers(sandbox, '4420391', true),
    'stock acts': async () => {
      await bulk(sandbox, 'stock_actions', { action: 'withdraw', number_prefix: stockPrefix });
      await bulk(sandbox, 'stock_actions', { action: 'release', number_prefix: stockPrefix });
    },
    'price lists': async () => {
      const lines = Array.from({ length: linesAtOnce }, (_, n) => `44${String(n).padStart(6, '0')},0.01`);
      const csv = `prefix,per_minute\n${lines.join('\n')}\n`;
      await bulk(sandbox, 'price_lists', { kind: 'termination', csv, dry_run: true });
    },
    'advances by a month': () => control(sandbox, 'POST', '/clock', { advance_seconds: (31 * dayMs) / 1000 }),
  };
}

/** Production's reads without and with the work, in turns. */
async function beside(
  name: string,
  work: () => Promise<unknown>,
  production: string,
  held: () => Promise<number>,
): Promise<Row[]> {
  const [quiet, loaded, holds, done]: [number[], number[], number[], number[]] = [[], [], [], []];
  await work();
  for (let round = 0; round < rounds; round += 1) {
    quiet.push(await p99(production, seconds));
    let isOver = false;
    let times = 0;
    const working = (async () => {
      while (!isOver) {
        await work();
        times += 1;
      }
    })();
    // The work has begun before it is measured beside it.
    await sleep(50);
    await held();
    loaded.push(await p99(production, seconds));
    holds.push(await held());
    isOver = true;
    await working;
    done.push(times);
  }
  const ratios = loaded.map((value, round) => value / (quiet[round] ?? Number.NaN));
  return [
    {
      measure: `p99 of production’s reads beside ${name} in the sandbox / of a quiet process`,
      ratio: median(ratios),
      required: { atMost: mostOfQuiet },
      note: `${median(loaded).toFixed(1)} ms and ${median(quiet).toFixed(1)} ms, ${clients} clients; ${median(done)} done in ${seconds} s; the event loop was held for ${median(holds).toFixed(0)} ms at most`,
    },
  ];
}

/** Milliseconds, of reads of the balance one after another by each client. */
async function p99(production: string, duration: number): Promise<number> {
  const pool = new Pool(production, { connections: clients });
  const times: number[] = [];
  const until = performance.now() + duration * 1000;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < until) {
        const started = performance.now();
        const { statusCode, body } = await pool.request({
          path: '/v3/balance',
          method: 'GET',
          headers: { 'api-key': key, accept: 'application/vnd.api+json' },
        });
        await body.dump();
        if (statusCode === 429) await sleep(100);
        else if (statusCode !== 200) throw new Error(`the balance was ${statusCode}`);
        else times.push(performance.now() - started);
        // A customer's programs think in between; the rate limit of production stands.
        await sleep(20);
      }
    }),
  );
  await pool.close();
  times.sort((left, right) => left - right);
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

async function longestHold(pid: number, file: string): Promise<number> {
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.endsWith('}')) return JSON.parse(text).longest;
    await sleep(5);
  }
}
