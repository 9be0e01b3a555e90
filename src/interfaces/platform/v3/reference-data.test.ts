/** Responses of reference data are kept, and dropped exactly when the catalogue changes. */
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer } from '../../../../test/support/server.ts';
import { idOf, loadSmallCatalogue } from '../../../../test/support/small-catalogue.ts';
import { statementsDuring } from '../../../../test/support/statements.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { createHttpServer } from '../../server/http-server.ts';
import { platformRoom } from './routes.ts';

const server = useOpened(() => startTestServer());
/** A second process of the same environment, as far as kept responses are concerned. */
let other: Awaited<ReturnType<typeof createHttpServer>>;
let otherUrl = '';
beforeAll(async () => {
  await loadSmallCatalogue(server.env);
  other = await createHttpServer(server.env, { rooms: [platformRoom] });
  await other.listen({ host: '127.0.0.1', port: 0 });
  otherUrl = `http://127.0.0.1:${(other.server.address() as AddressInfo).port}`;
});
afterAll(() => other.close());

async function get(path: string, headers: Record<string, string> = {}, url = server.url) {
  const response = await request(`${url}/v3${path}`, { headers: { 'api-key': server.key, ...headers } });
  return { ...response, bytes: Buffer.from(await response.body.arrayBuffer()) };
}

test('the first request after a commit shows the change, in every process', async () => {
  for (let n = 0; n < 20; n += 1) {
    const name = `Germany ${n}`;
    await get('/countries');
    await server.env.pool.query('update countries set name = $1 where id = $2', [name, idOf('countries', 'DE')]);
    const both = await Promise.all([get('/countries'), get('/countries', {}, otherUrl)]);
    for (const { bytes } of both) expect(bytes.toString()).toContain(`"name":"${name}"`);
  }
});

test('a repeated request reads the version alone', async () => {
  const first = await get('/regions?include=country&sort=-name');
  const statements = await statementsDuring(server.env.pool, async () => {
    const again = await get('/regions?include=country&sort=-name');
    expect(again.bytes.equals(first.bytes)).toBe(true);
  });
  expect(statements.map(({ text }) => text)).toEqual(['select version from catalogue_version']);
});

test('every account sees its own version, page size and address in a kept response', async () => {
  const account = await server.addAccount({ limits: { max_page_size: 1_100 } });
  const large = await get('/cities?page[size]=1050', { 'api-key': account.key });
  expect(JSON.parse(large.bytes.toString()).data.length).toBeGreaterThan(100);
  expect((await get('/cities?page[size]=1050')).statusCode).toBe(400);
  const old = JSON.parse((await get('/cities', { 'x-test-api-version': '2022-05-10' })).bytes.toString());
  expect(old.meta.api_version).toBe('2022-05-10');
  const elsewhere = await get('/cities', { host: 'numbers.example.net' });
  expect(elsewhere.bytes.toString()).toContain('http://numbers.example.net/v3/cities/');
  expect((await get('/cities', { 'api-key': 'wrong-key-wrong-key' })).statusCode).toBe(401);
});

test('stock is not reference data: a filter by it is answered from the stock', async () => {
  const statements = await statementsDuring(server.env.pool, async () => {
    await get('/countries?filter[is_available]=true');
    await get('/countries?filter[is_available]=true');
  });
  expect(statements.filter(({ text }) => text.includes('stock_')).length).toBe(2);
});

test.each([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
] as const)('a large response is compressed with %s', async (encoding, decompress) => {
  const plain = await get('/cities');
  for (let n = 0; n < 2; n += 1) {
    const { bytes, headers } = await get('/cities', { 'accept-encoding': encoding });
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers.vary).toBe('Accept, Origin, Accept-Encoding');
    expect(headers.etag).toBe(plain.headers.etag);
    expect(Number(headers['content-length'])).toBe(bytes.length);
    expect(decompress(bytes).equals(plain.bytes)).toBe(true);
  }
});

test('a client that has the response gets 304 without a body', async () => {
  const { headers } = await get('/countries');
  const again = await get('/countries', { 'if-none-match': String(headers.etag), 'accept-encoding': 'gzip' });
  expect(again.statusCode).toBe(304);
  expect(again.bytes).toHaveLength(0);
  expect(again.headers['content-encoding']).toBeUndefined();
});
