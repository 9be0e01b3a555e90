/** Receivers that never respond hold up their own callbacks and nothing else. */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../src/business/accounts/accounts.ts';
import { createApiKey } from '../src/business/accounts/api-keys.ts';
import { connectionOf } from '../src/engines/db/pool.ts';
import { createTestEnvironment, type TestEnvironment } from './support/environment.ts';
import { type Receiver, startReceiver } from './support/receiver.ts';
import { didItem, postOrderTo } from './support/requests.ts';
import { type Goods, layOutGoods } from './support/shop.ts';
import { startTrunkline, type Trunkline } from './support/trunkline.ts';

/** More than any fixed number of workers; each has a callback of its own. */
const silentAccounts = 20;
const silentReceivers = 12;

let house: TestEnvironment;
let goods: Goods;
let folder: string;
let server: Trunkline;
let url: string;
let quick: Receiver;
/** Requests that never got a response, by receiver. */
const waiting: string[] = [];
const silent: Server[] = [];

/** A receiver of its own that takes a request and never responds. */
async function silentReceiver(): Promise<string> {
  const receiver = createServer((request) => void waiting.push(request.headers.host ?? ''));
  silent.push(receiver);
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  house = await createTestEnvironment();
  goods = await layOutGoods(house.env.pool);
  await goods.stock('london', 300);
  quick = await startReceiver();
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-slow-'));
  server = startTrunkline(folder, {
    SANDBOX_DATABASE_URL: connectionOf(house.env.pool),
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_SERVER_KEY: house.env.serverKey.reveal(),
    TRUNKLINE_LOG_LEVEL: 'warn',
  });
  url = (await server.ready()).environments.sandbox?.url ?? '';
});

afterAll(async () => {
  for (const receiver of silent) {
    receiver.closeAllConnections();
    receiver.close();
  }
  await quick.close();
  await server.stop();
  await house.close();
  await rm(folder, { recursive: true, force: true });
});

async function newAccount(name: string): Promise<string> {
  const { id } = await createAccount(house.env, { name, balance: '1000' });
  return (await createApiKey(house.env, id, { name: 'slow' })).key;
}

async function postOrder(key: string, callbackUrl?: string): Promise<string> {
  const callback = callbackUrl === undefined ? {} : { callback_url: callbackUrl, callback_method: 'post' };
  const response = await postOrderTo(url, key, [didItem({ sku_id: goods.skus.london })], callback);
  expect(response.status).toBe(201);
  return ((await response.json()) as { data: { id: string } }).data.id;
}

const arrived = (id: string) => () => quick.received.some(({ body }) => body.includes(id));
/** Far less than the minute for which every silent receiver keeps its callbacks waiting. */
const soon = { timeout: 120_000, interval: 50 };

test('callbacks and orders of others arrive while many accounts wait for silent receivers', async () => {
  for (let n = 1; n <= silentAccounts; n += 1) {
    await postOrder(await newAccount(`Silent ${n}`), await silentReceiver());
  }
  // All of them at once: none waits for another one's end.
  await expect.poll(() => new Set(waiting).size, soon).toBe(silentAccounts);
  const key = await newAccount('Quick');
  const id = await postOrder(key, `${quick.url}/others`);
  await expect.poll(arrived(id), soon).toBe(true);
  const status = await house.env.pool.query('select status from orders where id = $1', [id]);
  expect(status.rows).toEqual([{ status: 'completed' }]);
  // Nobody has been answered or given up meanwhile.
  const { rows } = await house.env.pool.query(`select count(*)::int as n from deliveries where attempts > 0
    and status = 'pending'`);
  expect(rows).toEqual([{ n: 0 }]);
});

test('callbacks of the same account to another receiver arrive, and one receiver gets a few at once', async () => {
  const key = await newAccount('Mixed');
  waiting.length = 0;
  for (let n = 0; n < silentReceivers; n += 1) await postOrder(key, await silentReceiver());
  const one = await silentReceiver();
  for (let n = 0; n < 12; n += 1) await postOrder(key, one);
  const id = await postOrder(key, `${quick.url}/same`);
  await expect.poll(arrived(id), soon).toBe(true);
  await expect.poll(() => new Set(waiting).size, soon).toBe(silentReceivers + 1);
  expect(waiting.filter((host) => one.endsWith(host))).toHaveLength(8);
});
