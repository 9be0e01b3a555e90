/**
 * An orderly stop, on real processes: whatever hangs, it is over within 20 s, exit code 0, and nothing is lost or left.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, createBench, type OwnDatabases } from './support/boot.ts';
import { didItem, postOrderTo } from './support/requests.ts';
import { layOutGoods } from './support/shop.ts';
import type { Trunkline } from './support/trunkline.ts';

// Most of these wait for something that hangs, so they do it side by side.
const { folder, start, migratedDatabases } = createBench({ sideBySide: true });
const key = 'the key of the stop test';
const names = ['production', 'sandbox'] as const;
/** Twenty seconds on a machine that is not busy; what hangs here hangs for ever. */
const withinMs = 120_000;

/** Takes connections and requests, and never responds. */
let silent: http.Server;
/** The paths of its requests. */
const asked: string[] = [];
beforeAll(async () => {
  silent = http.createServer(({ url = '' }) => {
    asked.push(url);
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  silent.closeAllConnections();
  silent.close();
});

interface House {
  process: Trunkline;
  urls: OwnDatabases;
  addresses: Record<(typeof names)[number], string>;
  /** Orders a number in an environment, with a callback to the silent receiver; returns the response's body. */
  postOrder(name: (typeof names)[number]): Promise<string>;
  /** Callbacks of this house that wait for the silent receiver. */
  hanging(): number;
}

async function open(name: string, variables: Record<string, string> = {}): Promise<House> {
  const urls = await migratedDatabases();
  const account = { name: 'Acme', balance: '1000', api_keys: [{ name: 'ci', key }] };
  const file = path.join(await mkdtemp(path.join(folder(), 'stop-')), 'bootstrap.json');
  await writeFile(file, JSON.stringify({ production: { accounts: [account] }, sandbox: { accounts: [account] } }));
  const process = await start(name, {
    ...urls,
    TRUNKLINE_BOOTSTRAP: file,
    TRUNKLINE_OUTBOUND_ALLOW: '127.0.0.0/8',
    ...variables,
  });
  const { environments } = await process.ready();
  const addresses = { production: environments.production?.url ?? '', sandbox: environments.sandbox?.url ?? '' };
  let sku = '';
  for (const url of [urls.DATABASE_URL, urls.SANDBOX_DATABASE_URL]) {
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    const goods = await layOutGoods(pool);
    sku = goods.skus.london;
    await goods.stock('london', 5);
    await pool.end();
  }
  const address = silent.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const postOrder: House['postOrder'] = async (environment) => {
    const callback = { callback_url: `http://127.0.0.1:${port}/${name}`, callback_method: 'post' };
    const response = await postOrderTo(addresses[environment], key, [didItem({ sku_id: sku, qty: 1 })], callback);
    expect(response.status).toBe(201);
    return response.text();
  };
  return { process, urls, addresses, postOrder, hanging: () => asked.filter((url) => url === `/${name}`).length };
}

/** Sends SIGTERM; the exit code, and whether it came in time. */
async function stop(process: Trunkline): Promise<{ code: number | string; inTime: boolean }> {
  const began = performance.now();
  const code = await process.stop();
  return { code, inTime: performance.now() - began < withinMs };
}

const isRefused = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect(Number(new URL(address).port), '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });

describe.concurrent.each([
  ['both roles', {}],
  ['an API beside its worker', { TRUNKLINE_ROLES: 'api' }],
])('%s', (_what, roles) => {
  it('stops in time although a receiver hangs in both environments, and gives the jobs back', async ({ expect }) => {
    const house = await open(`hanging-${Object.keys(roles).length}`, roles);
    const worker =
      'TRUNKLINE_ROLES' in roles
        ? await start('hanging-worker', {
            ...house.urls,
            TRUNKLINE_ROLES: 'worker',
            TRUNKLINE_OUTBOUND_ALLOW: '127.0.0.0/8',
            TRUNKLINE_DATA: path.join(folder(), `hanging-${Object.keys(roles).length}`, 'data'),
          })
        : null;
    await worker?.ready();
    for (const name of names) await house.postOrder(name);
    await expect.poll(house.hanging, { timeout: 60_000 }).toBe(2);

    const stopping = [house.process, ...(worker === null ? [] : [worker])].map(stop);
    // At once, while the workers still wait for the receiver.
    for (const name of names) await expect.poll(() => isRefused(house.addresses[name])).toBe(true);
    expect(worker?.child.exitCode ?? house.process.child.exitCode).toBeNull();
    for (const stopped of await Promise.all(stopping)) expect(stopped).toEqual({ code: 0, inTime: true });
    for (const url of [house.urls.DATABASE_URL, house.urls.SANDBOX_DATABASE_URL]) {
      const jobs = `select count(*)::int as n from jobs where locked_by is not null`;
      expect(await ask(url, jobs)).toEqual([{ n: 0 }]);
      expect(await ask(url, 'select status, attempts from deliveries')).toEqual([{ status: 'pending', attempts: 0 }]);
    }
  });
});

it.concurrent('tells a connection that is kept open that it closes, before it closes it', async ({ expect }) => {
  const { process, addresses } = await open('kept');
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const get = () =>
    new Promise<string | undefined>((resolve, reject) => {
      http
        .get(`${addresses.sandbox}/healthz`, { agent }, (response) => {
          response.resume().once('end', () => resolve(response.headers.connection));
        })
        .once('error', reject);
    });
  expect(await get()).toBe('keep-alive');
  const stopped = stop(process);
  // Request after request: the server is told to stop between two of them, however long that takes.
  let said = await get();
  while (said === 'keep-alive') said = await get();
  expect(said).toBe('close');
  expect(await stopped).toEqual({ code: 0, inTime: true });
  agent.destroy();
});

it.concurrent('does not wait for a client that sends half a request', async ({ expect }) => {
  const { process, addresses } = await open('half');
  const socket = net.connect(Number(new URL(addresses.production).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`POST /v3/orders HTTP/1.1\r\nHost: x\r\napi-key: ${key}\r\nContent-Type: application/vnd.api+json\r\n`);
  socket.write('Content-Length: 1000\r\n\r\n{');
  await expect.poll(() => socket.bytesWritten).toBeGreaterThan(100);
  expect(await stop(process)).toEqual({ code: 0, inTime: true });
});

it.concurrent('ends the calls it carries, also without the role worker', async ({ expect }) => {
  const house = await open('calls', { TRUNKLINE_ROLES: 'api' });
  const url = house.urls.SANDBOX_DATABASE_URL;
  const worker = await start('calls', { ...house.urls, TRUNKLINE_ROLES: 'worker', TRUNKLINE_READY_FILE: '' });
  await house.postOrder('sandbox');
  const numbers = () => ask<{ number: string }>(url, `select number from dids`);
  const orders = () => ask(url, 'select status from orders');
  await expect.poll(orders, { timeout: 60_000 }).toEqual([{ status: 'completed' }]);
  await worker.stop();
  await ask(
    url,
    `with trunk as (
       insert into voice_in_trunks (account_id, name, configuration_type, configuration, created_at)
       select id, 'pbx', 'sip_configurations', '{"host":"192.0.2.1","port":5060}', now() from accounts returning id)
     update dids set voice_in_trunk_id = trunk.id from trunk`,
  );
  const [did] = await numbers();
  const response = await fetch(`${house.addresses.sandbox}/sandbox/v1/calls`, {
    method: 'POST',
    headers: { 'api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ did_number: did?.number, src_number: '15550100', script: { talk_seconds: null } }),
  });
  expect([response.status, await response.json()]).toMatchObject([201, { status: 'answered' }]);
  const count = (table: string) => ask(url, `select count(*)::int as n from ${table}`);
  expect([await count('open_calls'), await count('voice_workers')]).toEqual([[{ n: 1 }], [{ n: 1 }]]);
  expect(await stop(house.process)).toEqual({ code: 0, inTime: true });
  expect([await count('open_calls'), await count('voice_workers')]).toEqual([[{ n: 0 }], [{ n: 0 }]]);
  expect(await count('cdrs_in')).toEqual([{ n: 1 }]);
});

it.concurrent('logs no error and loses nothing in the middle of many renewals', async ({ expect }) => {
  const house = await open('renewals');
  const headers = { 'api-key': key, 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    fetch(`${house.addresses.sandbox}/sandbox/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const number = { country: 'GB', type: 'Local', prefix: '20', expires_at: '+PT10M' };
  const seeded = await post('/seed', { accounts: [{ balance: '100000.00', numbers: Array(300).fill(number) }] });
  expect(seeded.status).toBe(201);
  expect((await post('/clock', { factor: 1_000 })).status).toBe(200);
  const numbers = (condition: string) =>
    ask<{ n: number }>(house.urls.SANDBOX_DATABASE_URL, `select count(*)::int as n from dids where ${condition}`);
  await expect
    .poll(async () => (await numbers('periods > 1'))[0]?.n, { timeout: withinMs, interval: 20 })
    .toBeGreaterThan(0);
  expect(await stop(house.process)).toEqual({ code: 0, inTime: true });
  const errors = house.process
    .stdout()
    .split('\n')
    .filter((line) => /"level":"(?:error|fatal)"/.test(line));
  expect(errors).toEqual([]);
  const sandbox = house.urls.SANDBOX_DATABASE_URL;
  const charged = await ask(
    sandbox,
    `select d.id from dids d where (select count(*) from orders o where o.account_id = d.account_id
       and o.description = 'DID renewal ' || d.number) <> d.periods - 1`,
  );
  expect(charged).toEqual([]);
  const left = await ask(
    sandbox,
    `select 1 where exists (select from dids where due_at <= environment_time.now())
       and not exists (select from jobs where task = 'dids.settle_due' and is_available and attempts < max_attempts)`,
  );
  expect(left).toEqual([]);
});
