/**
 * The database fails in every way under load, again and again, while two processes serve both environments. After each
 * fault both are still the same processes, and new orders are completed, new codes arrive and callbacks go out by
 * themselves.
 */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exists } from '../src/base/files.ts';
import { type FailingDatabase, faults, openFailingDatabase } from './support/failing-database.ts';
import { type Receiver, startReceiver } from './support/receiver.ts';
import { didItem, postOrderTo } from './support/requests.ts';
import { type Goods, layOutGoods } from './support/shop.ts';
import { startTrunkline, type Trunkline } from './support/trunkline.ts';
import { VerificationClient } from './support/verification-client.ts';
import { type OpenCarrier, openCarrier, serverKey } from './verification/carrier.ts';

/** FAULT_ROUNDS=20 is a long run. */
const rounds = Number(process.env.FAULT_ROUNDS ?? 3);
/** Generous: the machine may be busy with other tests. On a quiet one it takes two or three seconds. */
const recoveryMs = 60_000;
const key = 'the key of the database fault test';
const credentials = { key: '7c9e6679-7425-40de-944b-e07fc1f90ae7', secret: Buffer.alloc(32, 5).toString('base64url') };
const names = ['production', 'sandbox'] as const;

let folder: string;
let database: FailingDatabase;
let receiver: Receiver;
let carrier: OpenCarrier;
let goods: Goods;
const processes: Trunkline[] = [];
const targets: Target[] = [];

/** One environment of one process. */
interface Target {
  name: (typeof names)[number];
  process: Trunkline;
  url: string;
  codes: VerificationClient;
}

beforeAll(async () => {
  // Where PostgreSQL's own user can reach it, so that copying the folder copies the server.
  folder = await mkdtemp(path.join((await exists('/dev/shm')) ? '/dev/shm' : os.tmpdir(), 'trunkline-faults-'));
  await chmod(folder, 0o755);
  database = await openFailingDatabase(folder, ['production', 'sandbox']);
  receiver = await startReceiver();
  const account = {
    name: 'Acme',
    balance: '1000000',
    api_keys: [{ name: 'ci', key }],
    otp_applications: [{ name: 'web', ...credentials }],
  };
  const bootstrap = path.join(folder, 'bootstrap.json');
  await writeFile(bootstrap, JSON.stringify({ production: { accounts: [account] }, sandbox: { accounts: [account] } }));
  for (const number of [1, 2]) {
    const place = await mkdtemp(path.join(folder, `process-${number}-`));
    const process = startTrunkline(place, {
      DATABASE_URL: database.url('production'),
      SANDBOX_DATABASE_URL: database.url('sandbox'),
      TRUNKLINE_SERVER_KEY: serverKey.reveal(),
      TRUNKLINE_BOOTSTRAP: bootstrap,
      TRUNKLINE_OUTBOUND_ALLOW: '127.0.0.0/8',
      TRUNKLINE_LOG_LEVEL: 'warn',
    });
    processes.push(process);
    const { environments } = await process.ready();
    for (const name of names) {
      const url = environments[name]?.url ?? '';
      targets.push({ name, process, url, codes: new VerificationClient(url, credentials) });
    }
  }
  for (const name of names) {
    const pool = database.direct(name);
    goods = await layOutGoods(pool);
    await goods.stock('london', 60_000);
    if (name === 'production') carrier = await openCarrier('plain http', pool);
    await pool.end();
  }
});

afterAll(async () => {
  await Promise.all(processes.map((process) => process.stop()));
  await receiver?.close();
  await carrier?.close();
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});

/** The id of the order, or null when it was refused or the connection broke. */
async function postOrder({ url }: Target, withCallback = true): Promise<string | null> {
  const items = [didItem({ sku_id: goods.skus.london, qty: 1 })];
  const callback = withCallback ? { callback_url: `${receiver.url}/orders`, callback_method: 'post' } : {};
  try {
    const response = await postOrderTo(url, key, items, callback, patience());
    const document = (await response.json()) as { data?: { id: string } };
    return response.status === 201 ? (document.data?.id ?? null) : null;
  } catch {
    return null;
  }
}

/** A request that hangs is one that failed. */
const patience = (): AbortSignal => AbortSignal.timeout(5_000);

let last = 0;
let lastRefusal = '';

/** Each in a range of its own: production refuses more than a hundred starts an hour for one (prefixVelocity). */
function nextDestination(): string {
  last += 1;
  const [range, number] = [last % 1000, Math.floor(last / 1000)];
  return `49151${String(range).padStart(3, '0')}${String(number).padStart(5, '0')}`;
}

/** The number a code is on its way to, or null. */
async function startVerification({ codes }: Target): Promise<string | null> {
  const destination = nextDestination();
  const started = codes.start({ destination, delivery_method: 'sms' });
  const response = await Promise.race([started, sleep(5_000)]).catch(() => null);
  if (response?.body.data?.status === 'pending') return destination;
  if (response) lastRefusal = JSON.stringify([response.status, response.body]);
  return null;
}

async function hasCode({ name, url }: Target, destination: string): Promise<boolean> {
  if (name === 'production') return carrier.messages().some((message) => message.destination === destination);
  const response = await fetch(`${url}/sandbox/v1/messages?destination=${destination}`, {
    headers: { 'api-key': key },
    signal: patience(),
  });
  const { messages } = (await response.json()) as { messages?: unknown[] };
  return (messages?.length ?? 0) > 0;
}

const isUnhandled = (line: string): boolean => line.includes('nobody handled it');

const wasCompleted = (id: string): boolean =>
  receiver.received.some(({ body }) => {
    const form = new URLSearchParams(body);
    return form.get('id') === id && form.get('status') === 'completed';
  });

async function eventually<T>(attempt: () => Promise<T | null | false>, what: string): Promise<T> {
  const deadline = performance.now() + recoveryMs;
  while (performance.now() < deadline) {
    const result = await attempt().catch(() => null);
    if (result !== null && result !== false) return result;
    await sleep(50);
  }
  const logs = processes.map((process) => process.stdout().slice(-3000) + process.stderr().slice(-2000));
  throw new Error(`${what} within ${recoveryMs} ms (last refused start: ${lastRefusal})\n${logs.join('\n\n')}`);
}

/** New work is done from end to end, and the process says that it is ready. */
async function works(target: Target, after: string): Promise<void> {
  const what = (text: string) => `after ${after}, ${target.name} of process ${target.process.pid}: no ${text}`;
  const [id, destination] = await Promise.all([
    eventually(() => postOrder(target), what('order was accepted')),
    eventually(() => startVerification(target), what('verification was started')),
  ]);
  await Promise.all([
    eventually(async () => wasCompleted(id), what('callback of a completed order')),
    eventually(() => hasCode(target, destination), what('code')),
    eventually(
      async () => (await fetch(`${target.url}/readyz`, { signal: patience() })).status === 200,
      what('readiness'),
    ),
  ]);
}

/**
 * Orders and verifications one after another, until told to stop. Waits for the callbacks it asked for, though not for
 * long: on a slow machine they would pile up behind everything else, and those that prove the recovery would wait
 * behind them.
 */
async function load(target: Target, until: AbortSignal): Promise<void> {
  for (let n = 0; !until.aborted; n++) {
    const id = n % 4 === 3 ? null : await postOrder(target, n % 4 === 0);
    if (n % 4 === 3) await startVerification(target);
    for (let waits = 0; n % 4 === 0 && id !== null && !wasCompleted(id) && waits < 40; waits++) await sleep(50);
    await sleep(20);
  }
}

test(`${rounds} faults of each kind: the processes live, and their workers come back by themselves`, {
  timeout: 900_000,
}, async () => {
  const stop = new AbortController();
  const clients = targets.map((target) => load(target, stop.signal));
  for (let round = 1; round <= rounds; round++) {
    for (const fault of faults) {
      await database.fail(fault);
      await Promise.all(targets.map((target) => works(target, `${fault} (round ${round})`)));
      for (const { child } of processes) expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    }
  }
  stop.abort();
  await Promise.all(clients);

  // Survived, but somebody's mistake: the database's failures are to be handled where they are met.
  const unhandled = (process: Trunkline) => process.stdout().split('\n').filter(isUnhandled);
  for (const process of processes) expect(unhandled(process)).toEqual([]);
  for (const target of targets) {
    const metrics = await (await fetch(`${target.url}/metrics`)).text();
    const counted = /^trunkline_faults_total\{kind="unhandled_rejection".*\} (\d+)$/m.exec(metrics)?.[1];
    expect(Number(counted)).toBe(unhandled(target.process).length);
    expect(metrics).toMatch(/^trunkline_faults_total\{kind="uncaught_exception".*\} 0$/m);
  }
  for (const name of names) {
    const pool = database.direct(name);
    const waiting = `select count(*)::int as n from orders where status = 'pending'`;
    await expect.poll(async () => (await pool.query(waiting)).rows, { timeout: 60_000 }).toEqual([{ n: 0 }]);
    await pool.end();
  }
});
