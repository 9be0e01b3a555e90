/** Faults on demand: requests that go wrong, and what goes wrong outside of them. */
import { expect, test } from 'vitest';
import { checkedFetch } from '../../../../test/support/checked-fetch.ts';
import { advanceClock, runDueJobs } from '../../../../test/support/environment.ts';
import { didItem } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { errors } from '../../../engines/jsonapi/errors.ts';
import { createApplication } from '../../verification/application.writes.ts';
import { errorTexts } from '../../verification/errors.ts';
import type { platformErrors } from './named-errors.ts';

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

/** The error table of `/v3` as it is documented: status, code, title and detail of each, for `GET /v3/dids/17`. */
const documented: Readonly<Record<keyof typeof platformErrors, [number, number, string, string?]>> = {
  unauthorized: [401, 401, 'Unauthorized', 'Authorization failed'],
  forbidden: [403, 403, 'Forbidden', 'The account may not do this.'],
  feature_missing: [403, 403, 'Forbidden', expect.stringMatching(/^The feature \w+ is not enabled for this account: /)],
  replacement_forbidden: [
    ...([403, 403, 'Complete replacement forbidden'] as const),
    'Complete replacement forbidden for this relationship',
  ],
  record_not_found: [404, 404, 'Record not found', 'The record identified by 17 could not be found.'],
  route_not_found: [404, 404, 'Not Found', 'The path /v3/dids/17 could not be found.'],
  method_not_allowed: [405, 405, 'Method Not Allowed', 'GET is not allowed for /v3/dids/17.'],
  not_acceptable: [
    ...([406, 406, 'Not acceptable'] as const),
    "All requests must use the 'application/vnd.api+json' Accept without media type parameters. This request specified 'text/html'.",
  ],
  conflict: [409, 409, 'Conflict', 'The record was changed meanwhile.'],
  too_large: [413, 413, 'Payload Too Large', 'The request body may hold at most 1 MiB.'],
  unsupported_media_type: [
    ...([415, 415, 'Unsupported media type'] as const),
    "All requests that create or update must use the 'application/vnd.api+json' Content-Type. This request specified 'text/plain'.",
  ],
  unsupported_encoding: [
    ...([415, 415, 'Unsupported media type'] as const),
    "A request body may be sent as it is or with the Content-Encoding 'gzip'. This request specified 'br'.",
  ],
  locked: [423, 423, 'Locked resource', 'The record is locked.'],
  too_many_requests: [429, 429, 'Too Many Requests'],
  unavailable: [503, 503, 'Service Unavailable', 'The server is busy. Nothing was changed. Try again in a moment.'],
  internal: [500, 500, 'Internal Server Error'],
  bad_request: [400, 400, 'Bad Request', 'The request is not valid.'],
  insufficient_balance: [400, 400, 'Insufficient balance'],
  validation_error: [422, 100, 'is invalid'],
  invalid_resource: [400, 101, 'Invalid resource', 'dids is not a valid resource.'],
  filter_not_allowed: [400, 102, 'Filter not allowed', 'name is not allowed.'],
  invalid_field_value: [400, 103, 'Invalid field value', 'x is not a valid value for name.'],
  invalid_field: [400, 104, 'Invalid field', 'name is not a valid field for dids.'],
  param_not_allowed: [400, 105, 'Param not allowed', 'name is not allowed.'],
  page_param_not_allowed: [400, 105, 'Page parameter not allowed', 'offset is not an allowed page parameter.'],
  missing_parameter: [400, 106, 'Missing Parameter', 'The required parameter, data, is missing.'],
  invalid_filter_value: [400, 107, 'Invalid filter value', 'x is not a valid value for name.'],
  refused_filter_value: [400, 107, 'Invalid filter value', 'x is not a valid value.'],
  key_required: [400, 109, 'A key is required', 'The resource object does not contain a key.'],
  key_not_in_url: [400, 110, 'Key is not included in URL', 'The URL does not support the key 17'],
  invalid_include: [400, 112, 'Invalid field', 'name is not a valid relationship of dids'],
  too_many_included: [400, 112, 'Invalid field', 'name of dids brings more than 1000 related records.'],
  relation_exists: [400, 113, 'Relation exists', 'The relation to 17 already exists.'],
  invalid_sort: [400, 114, 'Invalid sort criteria', 'name is not a valid sort criteria for dids'],
  invalid_linkage: [400, 115, 'Invalid Links Object', 'Data is not a valid Links Object.'],
  type_mismatch: [400, 116, 'Type Mismatch', 'dids is not a valid type for this operation.'],
  invalid_page_object: [400, 117, 'Invalid Page Object', 'Invalid Page Object.'],
  invalid_page_value: [400, 118, 'Invalid page value', 'x is not a valid value for size page parameter.'],
  page_too_large: [400, 118, 'Invalid page value', 'size exceeds maximum page size of 100.'],
  response_too_large: [
    ...([400, 118, 'Invalid page value'] as const),
    'The response would be larger than 8 MiB. Use a smaller page size, or fewer included records or fields.',
  ],
  invalid_field_format: [400, 119, 'Invalid field format', 'Fields must specify a type.'],
  invalid_filter_syntax: [400, 120, 'Invalid filters syntax', 'name is not a valid syntax for filtering.'],
  save_failed: [422, 121, 'Save failed or was cancelled'],
  invalid_data_format: [400, 122, 'Invalid data format', 'Data must be a hash.'],
};

/** Members beyond those that every error has. */
const further: Readonly<Record<string, object>> = {
  unavailable: { meta: { outcome: 'nothing_changed' } },
  insufficient_balance: { meta: { available_balance: '0.0', total_cost: '1.0' } },
  validation_error: { source: { pointer: '/data' } },
};

test('every error of /v3 can be had by its name, in its documented form', async () => {
  const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const ofTable = Object.keys(errors).filter((name) => name !== 'refused');
  expect(Object.keys(documented)).toEqual(expect.arrayContaining(ofTable.map(snakeCase)));
  expect((await control('GET', '/scenarios')).body.errors.v3.toSorted()).toEqual(Object.keys(documented).toSorted());
  for (const [name, [status, code, title, detail = title]] of Object.entries(documented)) {
    await add({ do: { error: name } });
    const response = await get('/v3/dids/17');
    const type = response.headers.get('content-type');
    const retryAfter = response.headers.get('retry-after');
    expect([name, response.status, type, retryAfter, await response.json()]).toEqual([
      ...[name, status, 'application/vnd.api+json', status === 429 || status === 503 ? '1' : null],
      {
        errors: [{ title, detail, code: String(code), status: String(status), ...further[name] }],
        meta: { api_version: expect.any(String) },
      },
    ]);
  }
  await removeAll();
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
  await expect(order()).rejects.toThrow('other side closed');
  expect(await orders()).toBe(before);
  await add({ match: { method: 'POST' }, do: { drop: 'response' } });
  await expect(order()).rejects.toThrow('other side closed');
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

test('an order stays pending, is canceled, or finds its stock gone by its reference', async () => {
  const order = async (word: string) => {
    await shop.stock('london', 1);
    const reference = { external_reference_id: `fault:${word} 17` };
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
});

test('an order with the reference fault:decline is refused for lack of money', async () => {
  const { status, errors: shown } = await shop.postOrder([didItem({ sku_id: shop.skus.london })], {
    external_reference_id: 'fault:decline',
  });
  expect([status, shown[0]?.title]).toEqual([400, 'Insufficient balance']);
});

test('all that can be asked for is listed', async () => {
  const { scenarios, faults, errors: names } = (await control('GET', '/scenarios')).body;
  expect(scenarios.flatMap(({ references = [] }) => references)).toContain('fault:decline');
  expect(scenarios.flatMap(({ callers = [] }) => callers)).toContain('19995550160');
  expect(faults).toContainEqual({ name: 'order.pending', description: expect.any(String) });
  expect(names.api_v1).toEqual(Object.keys(errorTexts));
});
