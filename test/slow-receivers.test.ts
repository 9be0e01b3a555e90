/** Receivers that never answer hold up their own callbacks and nothing else. */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../src/accounts/accounts.ts';
import { createApiKey } from '../src/accounts/api-keys.ts';
import { connectionOf } from '../src/db/job-queue.ts';
import { checkedFetch } from './support/checked-fetch.ts';
import { createTestEnvironment, type TestEnvironment } from './support/environment.ts';
import { didItem, type Goods, layOutGoods } from './support/shop.ts';
import { startTrunkline, type Trunkline } from './support/trunkline.ts';

const SLOW = 12;

let house: TestEnvironment;
let goods: Goods;
let folder: string;
let server: Trunkline;
let url: string;
let waiting = 0;
const silent = createServer(() => {
  waiting += 1;
});

beforeAll(async () => {
  house = await createTestEnvironment();
  goods = await layOutGoods(house.env.pool);
  await goods.stock('london', 100);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-slow-'));
  server = startTrunkline(folder, {
    SANDBOX_DATABASE_URL: connectionOf(house.env.pool),
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_SERVER_KEY: house.env.serverKey.toString('base64'),
    TRUNKLINE_LOG_LEVEL: 'warn',
  });
  url = (await server.ready()).environments.sandbox?.url ?? '';
});

afterAll(async () => {
  silent.closeAllConnections();
  silent.close();
  await server.stop();
  await house.close();
  await rm(folder, { recursive: true, force: true });
});

async function order(name: string, more: object = {}): Promise<string> {
  const { id } = await createAccount(house.env, { name, balance: '100' });
  const { key } = await createApiKey(house.env, id, { name: 'slow' });
  const media = 'application/vnd.api+json';
  const attributes = { items: [didItem({ sku_id: goods.skus.london })], ...more };
  const answer = await checkedFetch(`${url}/v3/orders`, {
    method: 'POST',
    headers: { 'api-key': key, accept: media, 'content-type': media },
    body: JSON.stringify({ data: { type: 'orders', attributes } }),
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { data: { id: string } }).data.id;
}

test('an order is completed while every callback of others hangs', async () => {
  const { port } = silent.address() as AddressInfo;
  const callback = { callback_url: `http://127.0.0.1:${port}/`, callback_method: 'post' };
  for (let n = 0; n < SLOW; n += 1) await order(`Slow ${n}`, callback);
  while (waiting < 8) await sleep(20);
  const id = await order('Quick');
  const started = performance.now();
  for (;;) {
    const { rows } = await house.env.pool.query('select status from orders where id = $1', [id]);
    if (rows[0].status === 'completed') break;
    await sleep(10);
  }
  // A second when the machine is free; far less than the minute for which the receivers keep everything waiting.
  expect(performance.now() - started).toBeLessThan(20_000);
});
