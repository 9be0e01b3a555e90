/** Media types, caching headers and methods of the routes that the engine derives. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type ApiClient, jsonApiType } from '../../../test/support/client.ts';
import { annaId, openLibrary } from '../../../test/support/library/server.ts';
import { useOpened } from '../../../test/support/use.ts';

const library = useOpened(() => openLibrary());
let anna: ApiClient;
let shelf: string;

beforeAll(async () => {
  anna = library.anna;
  const { rows } = await library.pool.query(
    `insert into shelves (account_id, name, created_at) values ($1, 'Hall', '2030-01-01T12:00:00Z') returning id`,
    [annaId],
  );
  shelf = `/shelves/${rows[0].id}`;
});

const accept = (value: string) => ({ headers: { accept: value } });

describe('Accept', () => {
  test.each([jsonApiType, '*/*', 'application/*', `text/html, ${jsonApiType};q=0.5`, 'text/html, */*;q=0.1'])(
    '%s is served',
    async (value) => {
      const response = await anna.get(shelf, accept(value));
      expect([response.status, response.headers.get('content-type')]).toEqual([200, jsonApiType]);
    },
  );

  test.each([
    'application/json',
    'text/html',
    `${jsonApiType}; charset=utf-8`,
    `${jsonApiType};q=0`,
    `${jsonApiType}; ext="x"`,
  ])('%s is 406', async (value) => {
    const response = await anna.get(shelf, accept(value));
    const detail = `All requests must use the 'application/vnd.api+json' Accept without media type parameters. This request specified '${value}'.`;
    expect([response.status, response.errors]).toEqual([
      406,
      [{ title: 'Not acceptable', detail, code: '406', status: '406' }],
    ]);
    expect(response.headers.get('content-type')).toBe(jsonApiType);
  });

  test('the Content-Type of a read is ignored', async () => {
    for (const type of [jsonApiType, 'application/json', 'nonsense']) {
      expect((await anna.get(shelf, { headers: { 'content-type': type } })).status).toBe(200);
    }
  });
});

test('headers of a document, of an error and of an empty response', async () => {
  const { headers } = await anna.get(shelf);
  expect(headers.get('cache-control')).toBe('max-age=0, private, must-revalidate');
  expect(headers.get('etag')).toMatch(/^W\/"[0-9a-f]{32}"$/);
  for (const response of [await anna.get(shelf), await anna.get('/planets')]) {
    expect(response.headers.get('x-runtime')).toMatch(/^\d+\.\d{6}$/);
    expect(response.headers.get('x-library')).toBe('open');
  }
  expect((await anna.get('/planets')).headers.get('cache-control')).toBe('no-cache');
});

test('a document the client has already is 304 without a body', async () => {
  const etag = (await anna.get(shelf)).headers.get('etag') ?? '';
  for (const known of [etag, `W/"x", ${etag}`, etag.slice(2), '*']) {
    const response = await anna.get(shelf, { headers: { 'if-none-match': known } });
    expect([known, response.status, response.text, response.headers.get('etag')]).toEqual([known, 304, '', etag]);
  }
  expect((await anna.get(shelf, { headers: { 'if-none-match': 'W/"0"' } })).status).toBe(200);
  expect((await anna.get(`${shelf}?include=books`, { headers: { 'if-none-match': etag } })).status).toBe(200);
});

describe('methods', () => {
  test('a slash at the end of a path is ignored', async () => {
    for (const path of ['/shelves', shelf, `${shelf}/books`, `${shelf}/relationships/books`]) {
      expect((await anna.get(`${path}/`)).text).toBe((await anna.get(path)).text);
    }
  });

  test('HEAD responds like GET without the body', async () => {
    const [get, head] = [await anna.get(shelf), await anna.head(shelf)];
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-type', 'etag', 'content-length'])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    expect((await anna.head('/shelves/unknown')).status).toBe(404);
    expect((await library.nobody.head(shelf)).status).toBe(401);
  });

  test.each([
    ['PUT', () => '/shelves', 'GET, HEAD, OPTIONS, POST'],
    ['POST', () => shelf, 'GET, HEAD, OPTIONS, PATCH, PUT'],
    ['PUT', () => `${shelf}/relationships/books`, 'GET, HEAD, OPTIONS'],
  ])('%s is 405 where there is no such route, and says what is allowed: %s', async (method, pathOf, allowed) => {
    const path = pathOf();
    const response = await anna.request(method, path, {});
    const detail = `${method} is not allowed for /library${path}.`;
    expect([response.status, response.errors]).toEqual([
      405,
      [{ title: 'Method Not Allowed', detail, code: '405', status: '405' }],
    ]);
    expect(response.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allowed);
  });
});
