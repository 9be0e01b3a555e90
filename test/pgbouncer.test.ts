/**
 * A server behind PgBouncer. In transaction mode each transaction may meet another session of two: requests, jobs and
 * events work, nothing is prepared, and what belongs to a session goes past it. In session mode everything goes through
 * it.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from './support/database.ts';
import { type PgBouncer, startPgBouncer } from './support/pgbouncer.ts';
import { startTrunkline, type Trunkline } from './support/trunkline.ts';
import { VerificationClient } from './support/verification-client.ts';

const key = 'key-of-a-customer-behind-a-pooler';
const application = { key: '7c9e6679-7425-40de-944b-e07fc1f90ae7', secret: Buffer.alloc(32, 7).toString('base64url') };
const media = 'application/vnd.api+json';

let database: TestDatabase;
let bouncer: PgBouncer;
let server: Trunkline;
let folder: string;
let url = '';

beforeAll(async () => {
  database = await createTestDatabase();
  bouncer = await startPgBouncer(database.url, 2, 'transaction');
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-behind-'));
  const bootstrap = path.join(folder, 'bootstrap.json');
  const account = {
    name: 'Customer',
    balance: '100.00',
    api_keys: [{ name: 'main', key }],
    otp_applications: [{ name: 'main', ...application, minimum_mode: 'public' }],
  };
  await writeFile(
    bootstrap,
    JSON.stringify({ sandbox: { numbers: [{ country: 'GB', prefix: '20', count: 5 }], accounts: [account] } }),
  );
  server = startTrunkline(folder, {
    TRUNKLINE_PORT: 'off',
    SANDBOX_DATABASE_URL: bouncer.url,
    SANDBOX_DATABASE_DIRECT_URL: database.url,
    TRUNKLINE_BOOTSTRAP: bootstrap,
    TRUNKLINE_SERVER_KEY: Buffer.alloc(32, 3).toString('base64'),
    TRUNKLINE_SANDBOX_SIP_PORT: 'off',
    TRUNKLINE_SANDBOX_CLOCK: 'anyone',
  });
  url = (await server.ready()).environments.sandbox?.url ?? '';
});
afterAll(async () => {
  await server?.stop();
  await bouncer?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

async function ask(method: string, at: string, document?: object) {
  const type = at.startsWith('/v3') ? media : 'application/json';
  const response = await fetch(url + at, {
    method,
    headers: { 'api-key': key, ...(document ? { 'content-type': type } : {}) },
    body: document ? JSON.stringify(document) : null,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${at} got the response ${response.status}: ${text}`);
  return JSON.parse(text);
}

test('an order is completed by its job, again and again', async () => {
  const { data: groups } = await ask('GET', '/v3/did_groups?include=stock_keeping_units');
  const [sku] = groups[0].relationships.stock_keeping_units.data;
  // More often than a statement needs to be prepared.
  for (let n = 1; n <= 4; n += 1) {
    await ask('POST', '/v3/orders', {
      data: {
        type: 'orders',
        attributes: { items: [{ type: 'did_order_items', attributes: { sku_id: sku.id, qty: 1 } }] },
      },
    });
    await expect.poll(async () => (await ask('GET', '/v3/dids')).meta.total_records, { interval: 100 }).toBe(n);
  }
  const { data: orders } = await ask('GET', '/v3/orders');
  expect(orders.map(({ attributes }: { attributes: { status: string } }) => attributes.status)).toEqual(
    Array(4).fill('completed'),
  );
});

test('a verification is sent, waited for and reported', async () => {
  const client = new VerificationClient(url, application);
  for (const destination of ['4915112340001', '4915112340002', '4915112340003']) {
    // Waits before there is a message: it is told by a notification.
    const waiting = ask('GET', `/sandbox/v1/messages?destination=${destination}&wait=20`);
    const { body } = await client.start({ destination, delivery_method: 'sms' });
    const { messages } = await waiting;
    const reported = await client.report(body.data?.id ?? '', messages[0].code);
    expect(reported.body.data?.status).toBe('verified');
  }
});

test('a key that is revoked in the database stops working: changes are heard', async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; state: string; query: string }>(
      `select application_name as name, state, query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    // Sessions of the pooler, beside those that listen and run jobs.
    expect(rows.filter(({ name }) => name === 'trunkline').length).toBeLessThanOrEqual(2);
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['trunkline changes', 'trunkline jobs']));
    await ask('GET', '/v3/balance');
    await client.query('update api_keys set revoked_at = now()');
    await expect.poll(async () => (await fetch(`${url}/v3/balance`, { headers: { 'api-key': key } })).status).toBe(401);
  } finally {
    await client.end();
  }
});

test('in session mode a server needs no second address: it starts, sells, and hears changes', async () => {
  const own = await createTestDatabase();
  const pooler = await startPgBouncer(own.url, 30, 'session');
  const place = await mkdtemp(path.join(os.tmpdir(), 'trunkline-behind-'));
  const behind = startTrunkline(place, {
    TRUNKLINE_PORT: 'off',
    SANDBOX_DATABASE_URL: pooler.url,
    TRUNKLINE_BOOTSTRAP: path.join(folder, 'bootstrap.json'),
    TRUNKLINE_SERVER_KEY: Buffer.alloc(32, 3).toString('base64'),
    TRUNKLINE_SANDBOX_SIP_PORT: 'off',
    TRUNKLINE_SANDBOX_CLOCK: 'anyone',
  });
  const asked = async (at: string) => JSON.parse(await (await fetch(at, { headers: { 'api-key': key } })).text());
  try {
    const at = (await behind.ready()).environments.sandbox?.url ?? '';
    expect((await asked(`${at}/v3/balance`)).data.attributes.balance).toBe('100.00');
    const client = new VerificationClient(at, application);
    const { body } = await client.start({ destination: '4915112340009', delivery_method: 'sms' });
    const { messages } = await asked(`${at}/sandbox/v1/messages?destination=4915112340009&wait=20`);
    expect((await client.report(body.data?.id ?? '', messages[0].code)).body.data?.status).toBe('verified');
  } finally {
    await behind.stop();
    await pooler.stop();
    await own.drop();
    await rm(place, { recursive: true, force: true });
  }
});
