/** The server, and its database, are killed at random moments under a running order load, again and again. */

import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEmbeddedServer } from '../src/engines/db/embedded.ts';
import { checkedFetch } from './support/checked-fetch.ts';
import { type Receiver, startReceiver } from './support/receiver.ts';
import { didItem, headersWith, postOrderTo } from './support/requests.ts';
import { type Goods, layOutGoods } from './support/shop.ts';
import { startTrunkline, type Trunkline } from './support/trunkline.ts';

/** CRASH_ROUNDS=20 is a long run. */
const rounds = Number(process.env.CRASH_ROUNDS ?? 5);
const clientCount = 6;
const crashSeed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const apiKey = 'the key of the crash test';

let folder: string;
let receiver: Receiver;
let goods: Goods;
let server: Trunkline | null = null;

beforeAll(async () => {
  process.stdout.write(`\ncrash test: CRASH_SEED=${crashSeed}\n`);
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-crash-'));
  await chmod(folder, 0o755);
  receiver = await startReceiver();
  const account = { name: 'Crash', balance: '100000', api_keys: [{ name: 'crash', key: apiKey }] };
  const file = path.join(folder, 'bootstrap.json');
  await writeFile(file, JSON.stringify({ sandbox: { accounts: [account] } }));
  await start();
  await withDatabase(async (pool) => {
    goods = await layOutGoods(pool);
    await goods.stock('london', 20_000);
  });
});

afterAll(async () => {
  await server?.stop();
  await receiver.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<string> {
  const started = startTrunkline(folder, {
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_LOG_LEVEL: 'warn',
    TRUNKLINE_BOOTSTRAP: path.join(folder, 'bootstrap.json'),
  });
  server = started;
  return (await started.ready()).environments.sandbox?.url ?? '';
}

/** Joins the embedded server beside the program, as a command would. */
async function withDatabase<T>(work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const embedded = await openEmbeddedServer({ dataDirectory: path.join(folder, 'data') });
  const pool = new pg.Pool({ connectionString: embedded.url('trunkline_sandbox'), max: 2 });
  pool.on('error', () => undefined);
  try {
    return await work(pool);
  } finally {
    await pool.end();
    await embedded.close();
  }
}

async function postmasterPid(): Promise<number> {
  const data = path.join(folder, 'data');
  const elsewhere = (await readFile(path.join(data, 'postgres.location'), 'utf8').catch(() => '')).trim();
  const home = elsewhere || path.join(data, 'postgres');
  return Number((await readFile(path.join(home, 'cluster/postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** Orders until the server is gone; answers the ids of every 201 that was read to its end. */
async function load(url: string, seen: Set<string>, canceled: Set<string>, until: AbortSignal): Promise<void> {
  const callback = { callback_url: `${receiver.url}/crash`, callback_method: 'post' };
  for (let n = 0; !until.aborted; n++) {
    const items = [didItem({ sku_id: goods.skus.london, qty: 1 + (n % 3) })];
    try {
      const answer = await postOrderTo(url, apiKey, items, callback);
      const body = (await answer.json()) as { data: { id: string } };
      if (answer.status !== 201) continue;
      seen.add(body.data.id);
      if (n % 5 !== 0) continue;
      const { status } = await checkedFetch(`${url}/v3/orders/${body.data.id}`, {
        method: 'DELETE',
        headers: headersWith(apiKey),
      });
      if (status === 204) canceled.add(body.data.id);
    } catch {
      // The connection broke: nothing was promised, so nothing is expected.
      await sleep(10);
    }
  }
}

test(`${rounds} crashes lose nothing that was promised and tell nothing that did not happen`, {
  timeout: 600_000,
}, async () => {
  const seen = new Set<string>();
  const canceled = new Set<string>();
  const plans = fc.sample(
    fc.record({ after: fc.integer({ min: 20, max: 1000 }), database: fc.constantFrom('lives', 'dies', 'dies first') }),
    {
      seed: crashSeed,
      numRuns: rounds,
    },
  );
  for (const plan of plans) {
    if (server === null || server.child.exitCode !== null || server.child.signalCode !== null) await start();
    const url = (await server?.ready())?.environments.sandbox?.url ?? '';
    const stop = new AbortController();
    const clients = Array.from({ length: clientCount }, () => load(url, seen, canceled, stop.signal));
    // The moment counts from the first order of the round, or a slow start would be killed before there is any load.
    const before = seen.size;
    while (seen.size === before) await sleep(5);
    await sleep(plan.after);
    const database = await postmasterPid();
    if (plan.database === 'dies first') process.kill(database, 'SIGKILL');
    await server?.stop('SIGKILL');
    if (plan.database === 'dies') process.kill(database, 'SIGKILL');
    stop.abort();
    await Promise.all(clients);
  }
  await start();
  expect(seen.size).toBeGreaterThan(rounds);

  await withDatabase(async (pool) => {
    const waiting = `select count(*)::int as n from orders where status = 'pending'`;
    const undelivered = `select count(*)::int as n from deliveries where status = 'pending'`;
    for (const question of [waiting, undelivered]) {
      while ((await pool.query(question)).rows[0].n > 0) await sleep(100);
    }
    const { rows } = await pool.query<{ id: string; status: string }>('select id, status from orders');
    const stored = new Map(rows.map(({ id, status }) => [id, status]));
    expect([...seen].filter((id) => !stored.has(id))).toEqual([]);
    expect([...canceled].filter((id) => stored.get(id) !== 'canceled')).toEqual([]);

    const told = new Map(
      receiver.received.map(({ body }) => {
        const form = new URLSearchParams(body);
        return [form.get('id') ?? '', form.get('status') ?? ''];
      }),
    );
    expect([...stored].filter(([id, status]) => told.get(id) !== status)).toEqual([]);
    expect([...told].filter(([id, status]) => stored.get(id) !== status)).toEqual([]);
    process.stdout.write(
      `\ncrash test: ${stored.size} orders, ${receiver.received.length} callbacks, ${canceled.size} cancelled\n`,
    );
  });

  const verify = startTrunkline(folder, {}, ['ledger', 'verify', '--env', 'sandbox']);
  const code = await verify.ended();
  expect(verify.stdout() + verify.stderr()).not.toContain('OFF');
  expect(code).toBe(0);
});
