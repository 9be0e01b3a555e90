/**
 * Traces arrive at a collector: requests in their caller's trace, statements in requests, jobs, and callbacks that
 * carry it on.
 */
import { mkdtemp, rm } from 'node:fs/promises';
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

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number | string } }[];
}

let house: TestEnvironment;
let goods: Goods;
let folder: string;
let collector: Receiver;
let receiver: Receiver;
let server: Trunkline;

beforeAll(async () => {
  house = await createTestEnvironment();
  goods = await layOutGoods(house.env.pool);
  await goods.stock('london', 1);
  [collector, receiver] = await Promise.all([startReceiver(), startReceiver()]);
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-traces-'));
  server = startTrunkline(folder, {
    SANDBOX_DATABASE_URL: connectionOf(house.env.pool),
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_SERVER_KEY: house.env.serverKey.reveal(),
    TRUNKLINE_TRACES: collector.url,
    TRUNKLINE_LOG_LEVEL: 'warn',
  });
});

afterAll(async () => {
  await server?.stop();
  await Promise.all([collector.close(), receiver.close(), house.close()]);
  await rm(folder, { recursive: true, force: true });
});

const spans = (): SentSpan[] =>
  collector.received.flatMap(({ body }) => {
    const sent: { resourceSpans?: { scopeSpans: { spans: SentSpan[] }[] }[] } = JSON.parse(body);
    return (sent.resourceSpans ?? []).flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  });
const attribute = (span: SentSpan | undefined, key: string) =>
  span?.attributes.find((each) => each.key === key)?.value.stringValue;

test('a request, its statements, the job behind it and the callback are spans, without any secret', async () => {
  const url = (await server.ready()).environments.sandbox?.url ?? '';
  const { id } = await createAccount(house.env, { name: 'Traced', balance: '1000' });
  const { key } = await createApiKey(house.env, id, { name: 'traces' });
  const caller = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' };
  const balance = await fetch(`${url}/v3/balance?hidden=query`, {
    headers: { 'api-key': key, traceparent: `00-${caller.trace}-${caller.span}-01` },
  });
  expect(balance.status).toBe(400);
  const callback = { callback_url: `${receiver.url}/hidden-path`, callback_method: 'post' };
  const order = await postOrderTo(url, key, [didItem({ sku_id: goods.skus.london })], callback);
  expect(order.status).toBe(201);
  await expect.poll(() => receiver.received.length).toBe(1);
  // A stop sends what is left.
  expect(await server.stop()).toBe(0);

  const all = spans();
  const request = all.find(({ parentSpanId }) => parentSpanId === caller.span);
  expect([request?.name, request?.traceId]).toEqual(['GET /v3/balance', caller.trace]);
  expect(attribute(request, 'url.path')).toBe('/v3/balance');
  const ordered = all.find(({ name }) => name === 'POST /v3/orders');
  const statements = all.filter(({ parentSpanId, name }) => parentSpanId === ordered?.spanId && name !== 'POST');
  expect(statements.length).toBeGreaterThan(0);
  expect(statements.every((span) => attribute(span, 'db.system.name') === 'postgresql')).toBe(true);
  // By the job, not by the statement that placed the order.
  const fulfilled = all.find((span) => attribute(span, 'db.query.text')?.includes('complete_orders(array['));
  expect(all.find(({ spanId }) => spanId === fulfilled?.parentSpanId)?.name).toMatch(/^orders\./);
  // The server has asked for itself many times by now: for due work, at the start and at the end.
  const alone = all.filter(({ parentSpanId, name }) => parentSpanId === undefined && !/[/.]/.test(name));
  expect(alone.map(({ name }) => name)).toEqual([]);
  expect(all.some(({ name }) => /^callbacks?\.|^deliver/.test(name))).toBe(true);

  const [, trace, parent] = String(receiver.received[0]?.headers.traceparent).split('-');
  const sent = all.find(({ traceId, spanId }) => traceId === trace && spanId === parent);
  expect(sent?.name).toBe('POST');
  expect(attribute(sent, 'server.address')).toBe(new URL(receiver.url).host);

  const text = collector.received.map(({ body }) => body).join('');
  for (const hidden of [key, 'hidden']) expect(text).not.toContain(hidden);
});
