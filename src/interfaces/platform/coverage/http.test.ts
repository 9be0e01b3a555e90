/** What `/v3` adds to the engine's requests and responses: keys, rate limits, headers, CORS. */
import { beforeAll, describe, expect, test } from 'vitest';
import { jsonApiType } from '../../../../test/support/client.ts';
import { startTestServer, type TestServer } from '../../../../test/support/server.ts';
import { idOf, loadSmallCatalogue } from '../../../../test/support/small-catalogue.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { createApiKey, revokeApiKey } from '../../../business/accounts/api-keys.ts';

const server = useOpened(() => startTestServer());
let client: TestServer['client'];

beforeAll(async () => {
  await loadSmallCatalogue(server.env);
  client = server.client;
});

const gb = `/countries/${idOf('countries', 'GB')}`;

describe('the key', () => {
  const unauthorized = {
    errors: [{ title: 'Unauthorized', detail: 'Authorization failed', code: '401', status: '401' }],
    meta: { api_version: '2026-04-16' },
  };

  test('none, a wrong one and an unknown path without one: 401', async () => {
    for (const key of [null, 'not a key of anybody here', '']) {
      for (const path of ['/countries', gb, '/planets']) {
        const response = await client.with({ key }).get(path);
        expect([response.status, response.body]).toEqual([401, unauthorized]);
        expect(response.headers.get('cache-control')).toBe('no-cache');
      }
    }
  });

  test('its header name has no case, and a Bearer token is no key', async () => {
    const bare = client.with({ key: null });
    expect((await bare.get(gb, { headers: { 'API-Key': server.key } })).status).toBe(200);
    expect((await bare.get(gb, { headers: { authorization: `Bearer ${server.key}` } })).status).toBe(401);
  });

  test('a revoked key, and one that is bound to another address', async () => {
    const { id, key } = await createApiKey(server.env, server.accountId, { name: 'brief' });
    expect((await client.with({ key }).get(gb)).status).toBe(200);
    await revokeApiKey(server.env, id);
    await expect.poll(async () => (await client.with({ key }).get(gb)).status).toBe(401);
    const bound = await createApiKey(server.env, server.accountId, { name: 'bound', allowedIps: ['192.0.2.0/24'] });
    expect((await client.with({ key: bound.key }).get(gb)).status).toBe(401);
  });

  test('more requests than the key may make: 429 with Retry-After', async () => {
    const { key } = await createApiKey(server.env, server.accountId, { name: 'slow', rateLimit: 1 });
    const responses = await Promise.all(Array.from({ length: 6 }, () => client.with({ key }).get(gb)));
    expect(responses.map(({ status }) => status)).toContain(200);
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.errors).toEqual([
      { title: 'Too Many Requests', detail: 'Too Many Requests', code: '429', status: '429' },
    ]);
    expect(refused?.headers.get('retry-after')).toBe('1');
  });
});

describe('headers of responses', () => {
  test('are those of the recorded ones', async () => {
    const { headers } = await client.get(gb);
    expect(headers.get('content-type')).toBe(jsonApiType);
    expect(headers.get('cache-control')).toBe('max-age=0, private, must-revalidate');
    expect(headers.get('etag')).toMatch(/^W\/"[0-9a-f]{32}"$/);
    expect(headers.get('x-runtime')).toMatch(/^\d+\.\d{6}$/);
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('vary')).toBe('Accept, Origin');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin');
  });
});

describe('CORS', () => {
  const origin = 'https://panel.example.test';

  test('OPTIONS needs no key and allows what the interface has', async () => {
    const headers = { origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'api-key' };
    for (const path of ['/countries', gb, '/planets']) {
      const response = await client.with({ key: null }).options(path, { headers });
      expect([response.status, response.text]).toEqual([204, '']);
      expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      expect(response.headers.get('access-control-allow-methods')).toBe('GET, POST, DELETE, PUT, PATCH, OPTIONS');
      expect(response.headers.get('access-control-allow-headers')).toMatch(/\bapi-key\b/);
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  test('a page of this server alone may send its cookie', async () => {
    const own = new URL(server.url).origin;
    for (const [asking, allowed] of [
      [own, 'true'],
      [origin, null],
      [`${own}.evil.test`, null],
      [own.replace('http:', 'https:'), null],
      ['null', null],
    ]) {
      for (const response of [
        await client.options(gb, { headers: { origin: String(asking) } }),
        await client.get(gb, { headers: { origin: String(asking) } }),
        await client.with({ key: null }).get(gb, { headers: { origin: String(asking) } }),
      ]) {
        expect([asking, response.headers.get('access-control-allow-credentials')]).toEqual([asking, allowed]);
      }
    }
  });

  test('a browser may send the version header by any word', async () => {
    const headers = { origin, 'access-control-request-headers': 'api-key,x-acme-api-version,x-evil' };
    const response = await client.with({ key: null }).options(gb, { headers });
    expect(response.headers.get('access-control-allow-headers')).toMatch(/, x-acme-api-version$/);
  });

  test('answers and errors reflect the origin; without one there is nothing to allow', async () => {
    for (const path of [gb, '/planets', '/countries?filter[x]=1']) {
      const { headers } = await client.get(path, { headers: { origin } });
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      expect(headers.get('access-control-expose-headers')).toBe(
        'Date, X-Request-Id, Content-Disposition, X-Api-Version-Ignored',
      );
    }
    expect((await client.get(gb)).headers.get('access-control-allow-origin')).toBeNull();
  });
});
