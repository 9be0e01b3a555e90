/** Faults on demand: requests that go wrong, and what goes wrong outside of them. */
import { expect, test } from 'vitest';
import { checkedFetch } from '../../../test/support/checked-fetch.ts';
import { advanceClock, runDueJobs } from '../../../test/support/environment.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import { didItem, getDid } from '../../../test/support/requests.ts';
import { openShop } from '../../../test/support/shop.ts';
import { useOpened } from '../../../test/support/use.ts';
import { VerificationClient } from '../../../test/support/verification-client.ts';
import { errors } from '../../jsonapi/errors.ts';
import { createApplication } from '../../verification/application.writes.ts';
import { errorTexts } from '../../verification/errors.ts';
import { platformErrors } from './named-errors.ts';

const shop = useOpened(() => openShop());

async function control(method: string, path: string, body?: object, key = shop.key) {
  const response = await checkedFetch(`${shop.url}/sandbox/v1${path}`, {
    method,
    headers: { 'api-key': key, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

const add = async (fault: object) => {
  const added = await control('POST', '/faults', fault);
  expect(added.status, JSON.stringify(added.body)).toBe(201);
  return added.body;
};
const get = (path: string, key = shop.key) => fetch(`${shop.url}${path}`, { headers: { 'api-key': key } });
const removeAll = () => control('DELETE', '/faults');

test('a fault happens as often as it was asked for, to its account and to what it matches', async () => {
  const other = await shop.addAccount();
  await add({ match: { method: 'get', path: '/v3/balance' }, do: { status: 503 }, times: 2 });
  expect((await get('/v3/balance', other.key)).status).toBe(200);
  expect((await get('/v3/dids')).status).toBe(200);
  const refused = await get('/v3/balance');
  expect([refused.status, refused.headers.get('content-type'), refused.headers.get('retry-after')]).toEqual([
    503,
    'application/vnd.api+json',
    '1',
  ]);
  expect((await get('/v3/balance')).status).toBe(503);
  expect((await get('/v3/balance')).status).toBe(200);
  expect((await control('GET', '/faults')).body.faults).toMatchObject([{ times_left: 0, hits: 2 }]);
  expect((await control('GET', '/faults', undefined, other.key)).body.faults).toEqual([]);
  await removeAll();
});

test('a fault is for one key, and for all paths below a star', async () => {
  const { id } = await add({ match: { path: '/v3/d*', api_key: shop.key }, do: { rate_limit: true }, times: null });
  expect((await get('/v3/dids')).status).toBe(429);
  expect((await get('/v3/did_groups/x')).status).toBe(429);
  expect((await get('/v3/balance')).status).toBe(200);
  expect((await control('GET', '/faults')).body.faults[0].match).toEqual({ path: '/v3/d*', api_key: '***' });
  expect((await control('DELETE', `/faults/${id}`)).status).toBe(204);
  expect((await control('DELETE', `/faults/${id}`)).status).toBe(404);
  expect((await get('/v3/dids')).status).toBe(200);
});

test('every error of /v3 can be had by its name', async () => {
  const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const ofTable = Object.keys(errors).filter((name) => name !== 'refused');
  expect(Object.keys(platformErrors)).toEqual(expect.arrayContaining(ofTable.map(snakeCase)));
  for (const name of ['insufficient_balance', 'record_not_found', 'filter_not_allowed', 'validation_error', 'locked']) {
    await add({ do: { error: name } });
    const response = await get('/v3/dids/17');
    const { errors: shown, meta } = JSON.parse(await response.text());
    const expected = platformErrors[name as keyof typeof platformErrors]({ method: 'GET', path: '/v3/dids/17' });
    expect([response.status, shown, meta]).toEqual([
      Number(expected.status),
      [expected],
      { api_version: expect.any(String) },
    ]);
  }
});

test('every error of /api/v1 can be had by its name', async () => {
  const { key, secret } = await createApplication(shop.env, shop.accountId, { name: 'errors' });
  const authorization = `Basic ${Buffer.from(`${key}:${secret.reveal()}`).toString('base64')}`;
  for (const [code, [status, detail]] of Object.entries(errorTexts)) {
    await add({ do: { error: code } });
    const response = await fetch(`${shop.url}/api/v1/verifications/none`, { headers: { authorization } });
    expect([response.status, await response.json()]).toEqual([status, { errors: [{ code, detail }] }]);
    await removeAll();
  }
});

test('a connection breaks before the request, instead of its response, and in the middle of it', async () => {
  await shop.stock('london', 1);
  const order = () => shop.postOrder([didItem({ sku_id: shop.skus.london })]);
  const orders = async () => (await shop.client.get('/orders')).resources.length;
  const before = await orders();
  await add({ match: { method: 'POST' }, do: { drop: true } });
  await expect(order()).rejects.toThrow('fetch failed');
  expect(await orders()).toBe(before);
  await add({ match: { method: 'POST' }, do: { drop: 'response' } });
  await expect(order()).rejects.toThrow('fetch failed');
  expect(await orders()).toBe(before + 1);
  await add({ match: { path: '/v3/balance' }, do: { truncate: true } });
  const cut = await get('/v3/balance');
  expect(cut.status).toBe(200);
  await expect(cut.text()).rejects.toThrow('terminated');
});

test('a delay holds a request up, and may stand before a refusal', async () => {
  await add({ match: { path: '/v3/balance' }, do: { delay_ms: 100, status: 500 } });
  const started = performance.now();
  expect((await get('/v3/balance')).status).toBe(500);
  expect(performance.now() - started).toBeGreaterThan(99);
});

test('with a seed the same requests are hit in every run', async () => {
  const run = async () => {
    await add({ match: { path: '/v3/balance' }, do: { status: 500 }, times: null, probability: 0.5, seed: 7 });
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) statuses.push((await get('/v3/balance')).status);
    await removeAll();
    return statuses;
  };
  const first = await run();
  expect(new Set(first)).toEqual(new Set([200, 500]));
  expect(await run()).toEqual(first);
});

test.each([
  [{ do: { status: 503, drop: true } }, 'do can have one of status and drop only'],
  [{ do: { error: 'no_such' } }, expect.stringContaining('is not the name of an error')],
  [{ do: { seconds: 3, status: 500 } }, 'do.seconds is for a fault; a request has delay_ms'],
  [{ match: { path: '/v3' }, do: { fault: 'sms.late' } }, expect.stringContaining('is not about requests')],
  [{ do: { status: 200 } }, expect.stringContaining('do.status')],
])('%j is not valid', async (body, error) => {
  expect(await control('POST', '/faults', body)).toEqual({ status: 422, body: { error } });
});

test.each([['by the control interface'], ['by its reference']])(
  'an order stays pending, is canceled, or finds its stock gone, %s',
  async (way) => {
    const order = async (word: string) => {
      if (way === 'by the control interface') await add({ do: { fault: `order.${word}` } });
      await shop.stock('london', 1);
      const reference = way === 'by its reference' ? { external_reference_id: `fault:${word} 17` } : {};
      const response = await shop.postOrder([didItem({ sku_id: shop.skus.london })], reference);
      await runDueJobs(shop.env);
      await advanceClock(shop.env, 3600);
      return response;
    };
    const before = Number(await shop.getBalance());
    const pending = await order('pending');
    expect(await shop.getOrderStatus(pending.resource.id)).toBe('pending');
    const canceled = await order('canceled');
    expect(canceled.resource.attributes.status).toBe('pending');
    expect(await shop.getOrderStatus(canceled.resource.id)).toBe('canceled');
    const gone = await order('stock_gone');
    expect([gone.status, gone.errors[0]?.detail]).toEqual([422, 'items/0/qty - exceeds available DIDs count']);
    expect((await shop.client.delete(`/orders/${pending.resource.id}`)).status).toBe(204);
    expect(Number(await shop.getBalance())).toBe(before);
    await shop.expectCleanBooks();
  },
);

test('an order with the reference fault:decline is refused for lack of money', async () => {
  const { status, errors: shown } = await shop.postOrder([didItem({ sku_id: shop.skus.london })], {
    external_reference_id: 'fault:decline',
  });
  expect([status, shown[0]?.title]).toEqual([400, 'Insufficient balance']);
});

test('a callback is lost, doubled, late, or comes after the next', async () => {
  const receiver = await startReceiver();
  const order = async () => {
    await shop.stock('london', 1);
    const more = { callback_url: `${receiver.url}/`, callback_method: 'post' };
    const { resource } = await shop.postOrder([didItem({ sku_id: shop.skus.london })], more);
    await runDueJobs(shop.env);
    return resource.id;
  };
  const received = () => receiver.received.splice(0).map(({ body }) => new URLSearchParams(body).get('id'));
  try {
    await add({ do: { fault: 'callback.lost' } });
    await order();
    expect(received()).toEqual([]);
    await add({ do: { fault: 'callback.doubled' } });
    const doubled = await order();
    expect(received()).toEqual([doubled, doubled]);
    await add({ do: { fault: 'callback.late', seconds: 600 } });
    const late = await order();
    expect(received()).toEqual([]);
    await advanceClock(shop.env, 600);
    expect(received()).toEqual([late]);
    await add({ do: { fault: 'callback.out_of_order' } });
    const [first, second] = [await order(), await order()];
    await advanceClock(shop.env, 60);
    expect(received()).toEqual([second, first]);
  } finally {
    await receiver.close();
  }
});

test('an SMS fails, is late, arrives twice', async () => {
  const { key, secret } = await createApplication(shop.env, shop.accountId, { name: 'sms' });
  const client = new VerificationClient(shop.url, { key, secret: secret.reveal() });
  let last = 0;
  const start = async () => {
    last += 1;
    const destination = `+4915112345${100 + last}`;
    const { body } = await client.start({ destination, delivery_method: 'sms' });
    await runDueJobs(shop.env);
    const inbox = async () => (await control('GET', `/messages?destination=${destination.slice(1)}`)).body.messages;
    return { id: body.data?.id ?? '', inbox };
  };
  await add({ do: { fault: 'sms.failed' } });
  const failed = await start();
  expect((await client.status(failed.id)).body.data).toMatchObject({ status: 'failed', error_code: 'dispatch_failed' });
  await add({ do: { fault: 'sms.late', seconds: 20 } });
  const late = await start();
  expect(await late.inbox()).toEqual([]);
  await advanceClock(shop.env, 20);
  expect(await late.inbox()).toHaveLength(1);
  await add({ do: { fault: 'sms.twice' } });
  const [first, second] = await (await start()).inbox();
  expect(first.code).toBe(second.code);
});

test('a renewal fails although there is money', async () => {
  const owner = await shop.addOwner('100');
  const fault = { do: { fault: 'renewal.failed' } };
  expect((await control('POST', '/faults', fault, owner.key)).status).toBe(201);
  await advanceClock(shop.env, (Date.parse(owner.expiresAt) - shop.clock.now().getTime()) / 1000);
  expect(await getDid(owner.client, owner.id)).toMatchObject({ terminated: true, blocked: true });
});

test('all that can be asked for is listed', async () => {
  const { scenarios, faults, errors: names } = (await control('GET', '/scenarios')).body;
  expect(scenarios.flatMap(({ references = [] }) => references)).toContain('fault:decline');
  expect(scenarios.flatMap(({ callers = [] }) => callers)).toContain('19995550160');
  expect(faults).toContainEqual({ name: 'order.pending', description: expect.any(String) });
  expect(names).toEqual({ v3: Object.keys(platformErrors), api_v1: Object.keys(errorTexts) });
});
