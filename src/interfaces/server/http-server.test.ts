/** What the server does for every request: id, log, health, broken bytes. */
import { connect } from 'node:net';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { defineTask } from '../../engines/jobs/task.ts';
import { createLogOn } from '../../run/boot/log.ts';
import { createHttpServer } from './http-server.ts';
import { loggedPath } from './logged-path.ts';
import type { Room } from './rooms.ts';
import type { WholeEnvironment } from './whole-environment.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Stands for /v3 and the others. */
const testRoom: Room = async (app) => {
  app.get('/room/things/:id', async (request) => ({ ip: request.ip, protocol: request.protocol }));
  app.post('/room/things', async () => ({}));
  app.get('/room/broken', async () => {
    throw new Error('the secret is 1234');
  });
};

let test: TestEnvironment;
let env: WholeEnvironment;
let app: FastifyInstance;
let address: string;
let lines: Record<string, unknown>[];
beforeAll(async () => {
  test = await createTestEnvironment();
  lines = [];
  const log = createLogOn({ write: (line) => void lines.push(JSON.parse(line)) }, 'info');
  env = { ...test.env, log };
  app = await createHttpServer(env, { rooms: [testRoom], trustedProxies: ['10.0.0.1'] });
  address = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await app.close();
  await test.close();
});

describe('the request id', () => {
  it.each(['/', '/healthz', '/nowhere', '/room/broken', '/%zz'])('is on the response of %s', async (url) => {
    expect((await app.inject(url)).headers['x-request-id']).toMatch(uuid);
  });

  it('is the one of the caller when that is sane', async () => {
    const response = await app.inject({ url: '/healthz', headers: { 'x-request-id': 'order-17:a/b' } });
    expect(response.headers['x-request-id']).toBe('order-17:a/b');
  });

  it.each(['', 'a b', 'x'.repeat(129), 'é'])('is a new one instead of "%s"', async (id) => {
    const response = await app.inject({ url: '/healthz', headers: { 'x-request-id': id } });
    expect(response.headers['x-request-id']).toMatch(uuid);
  });
});

describe('bytes that are not a request', () => {
  const answerTo = async (bytes: string): Promise<string> => {
    const { port } = new URL(address);
    const socket = connect(Number(port), '127.0.0.1');
    socket.end(bytes);
    let response = '';
    for await (const chunk of socket.setEncoding('utf8')) response += chunk;
    return response;
  };
  const idHeader = /\r\nx-request-id: [0-9a-f-]{36}\r\n/i;

  it.each([
    ['nonsense', 'NONSENSE\r\n\r\n', '400 Bad Request'],
    ['a head that is too large', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, '431 Request Header'],
  ])('%s', async (_name, bytes, status) => {
    const response = await answerTo(bytes);
    expect(response).toContain(`HTTP/1.1 ${status}`);
    expect(response).toMatch(idHeader);
  });
});

describe('the log', () => {
  it('has one line per request with its id, and neither query nor headers', async () => {
    lines.length = 0;
    const headers = { 'api-key': 'hunter3', 'x-request-id': 'r1' };
    await fetch(`${address}/room/things/7?token=hunter2`, { headers });
    await expect
      .poll(() => lines)
      .toEqual([
        expect.objectContaining({
          level: 'info',
          request_id: 'r1',
          method: 'GET',
          path: '/room/things/7',
          status: 200,
          ms: expect.any(Number),
          ip: '127.0.0.1',
        }),
      ]);
    expect(JSON.stringify(lines)).not.toMatch(/hunter/);
  });

  it('has none for a request that the server sends to itself', async () => {
    lines.length = 0;
    await app.inject('/room/things/7');
    expect(lines).toEqual([]);
  });

  it('hides secrets by name, should one be logged by mistake', () => {
    lines.length = 0;
    env.log.info({ headers: { 'api-key': 'hunter', authorization: 'hunter' }, password: 'hunter' }, 'mistake');
    expect(JSON.stringify(lines)).not.toMatch(/hunter/);
  });

  it('has the error that the caller is not told', async () => {
    lines.length = 0;
    const response = await app.inject('/room/broken');
    expect([response.statusCode, response.json()]).toEqual([500, { error: 'Internal server error' }]);
    expect(lines[0]).toMatchObject({ level: 'error', err: { message: 'the secret is 1234' } });
  });
});

describe('health', () => {
  it('says that the process lives and its database answers', async () => {
    expect((await app.inject('/healthz')).json()).toEqual({ status: 'ok' });
    expect((await app.inject('/readyz')).json()).toEqual({ status: 'ok', database: 'ok' });
  });

  it('is not ready without a database, and lives all the same', async () => {
    const other = await createTestEnvironment();
    const broken = await createHttpServer(other.env, { rooms: [] });
    await other.close();
    const response = await broken.inject('/readyz');
    expect([response.statusCode, response.json()]).toEqual([503, { status: 'unavailable', database: 'unreachable' }]);
    expect((await broken.inject('/healthz')).statusCode).toBe(200);
    expect((await broken.inject('/metrics')).statusCode).toBe(200);
    await broken.close();
  });
});

describe('metrics', () => {
  it('count requests and their latency by route pattern, not by path', async () => {
    await app.inject('/room/things/1');
    await app.inject('/room/things/2');
    const { body } = await app.inject('/metrics');
    const labels = 'method="GET",route="/room/things/:id"';
    expect(body).toMatch(
      new RegExp(`trunkline_http_requests_total\\{${labels},status="200",environment="sandbox"\\} [2-9]`),
    );
    expect(body).toContain(`trunkline_http_request_duration_seconds_count{environment="sandbox",${labels}}`);
    expect(body).not.toContain('things/1');
  });

  it('have the pool and the job queue', async () => {
    const nothing = defineTask('test.nothing', { priority: 'background' });
    await test.env.jobs.add(test.env.db, nothing, {}, { at: new Date('2100-01-01T00:00:00Z') });
    const { body } = await app.inject('/metrics');
    expect(body).toMatch(/trunkline_database_connections\{state="idle",environment="sandbox"\} [1-9]/);
    expect(body).toContain('trunkline_jobs{state="scheduled",environment="sandbox"} 1');
    expect(body).toContain('process_cpu_seconds_total');
  });
});

describe('methods and unknown paths', () => {
  it('answers HEAD like GET, without the body', async () => {
    const response = await app.inject({ method: 'HEAD', url: '/' });
    expect([response.statusCode, response.body]).toEqual([200, '']);
  });

  it('says what a page allows', async () => {
    const options = await app.inject({ method: 'OPTIONS', url: '/readyz' });
    expect([options.statusCode, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
    const post = await app.inject({ method: 'POST', url: '/readyz', payload: { a: 1 } });
    expect([post.statusCode, post.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('answers a path that no room has with small JSON', async () => {
    const response = await app.inject('/nowhere');
    expect([response.statusCode, response.json()]).toEqual([404, { error: 'Not found' }]);
  });

  it('refuses a body over 1 MiB', async () => {
    const response = await app.inject({
      method: 'POST',
      url: '/room/things',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify('x'.repeat(1024 * 1024)),
    });
    expect(response.statusCode).toBe(413);
  });
});

describe('a proxy in front', () => {
  const forwarded = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };

  it('is believed when it is trusted', async () => {
    const response = await app.inject({ url: '/room/things/1', headers: forwarded, remoteAddress: '10.0.0.1' });
    expect(response.json()).toEqual({ ip: '203.0.113.9', protocol: 'https' });
  });

  it('is not believed otherwise', async () => {
    const response = await app.inject({ url: '/room/things/1', headers: forwarded, remoteAddress: '10.0.0.2' });
    expect(response.json()).toEqual({ ip: '10.0.0.2', protocol: 'http' });
  });
});

it.each([
  ['/v3/dids/3fa85f64-5717-4562-b3fc-2c963f66afa6', '/v3/dids/3fa85f64-5717-4562-b3fc-2c963f66afa6'],
  [
    '/sandbox/v1/calls/10-10282FC6-5F632C460006A397-AC8C7700/hangup',
    '/sandbox/v1/calls/10-10282FC6-5F632C460006A397-AC8C7700/hangup',
  ],
  [
    '/v3/exports/3fa85f64-5717-4562-b3fc-2c963f66afa6.csv.gz',
    '/v3/exports/3fa85f64-5717-4562-b3fc-2c963f66afa6.csv.gz',
  ],
  ['/room/things/7?code=1234', '/room/things/7'],
  ['/', '/'],
  ['/api/v1/verifications/by_number/4915112345678', '/api/v1/verifications/by_number/[masked]'],
  ['/api/v1/verifications/by_number/%2B4915112345678', '/api/v1/verifications/by_number/[masked]'],
  ['/api/v1/verifications/by_number/49-151-12345678', '/api/v1/verifications/by_number/[masked]'],
  ['/api/v1/verifications/by_number/4915112345678/1234', '/api/v1/verifications/by_number/[masked]/[masked]'],
])('%s is logged as %s', (url, logged) => {
  expect(loggedPath(url)).toBe(logged);
});

it('hides a number in any encoding and with any separators', () => {
  const separator = fc.constantFrom('', '-', '.', '(', ' ', '+');
  const digit = fc.tuple(fc.integer({ min: 0, max: 9 }), separator, fc.boolean());
  fc.assert(
    fc.property(fc.array(digit, { minLength: 6, maxLength: 15 }), (digits) => {
      const written = digits.map(([value, between, encoded]) =>
        encoded ? `${encodeURIComponent(between)}%3${value}` : `${encodeURIComponent(between)}${value}`,
      );
      expect(loggedPath(`/by_number/${written.join('')}`)).toBe('/by_number/[masked]');
    }),
  );
});
