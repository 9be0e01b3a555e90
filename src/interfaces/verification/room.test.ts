/** What all responses of /api/v1 have in common. */
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { useOpened } from '../../../test/support/use.ts';
import { request } from '../../../test/support/verification-client.ts';
import { startVerificationServer } from '../../../test/support/verification-server.ts';

const server = useOpened(() => startVerificationServer());

const notFound = { errors: [{ code: 'not_found', detail: 'not found' }] };

describe('every response', () => {
  it.each([
    ['POST', '/api/v1/verifications', 401],
    ['GET', '/api/v1/verifications/x', 401],
    ['GET', '/api/v1/verifications', 404],
    ['DELETE', '/api/v1/verifications/x', 404],
    ['HEAD', '/api/v1/verifications/x', 404],
    ['POST', '/api/v1/verifications/x', 404],
    ['GET', '/api/v1', 404],
    ['GET', '/api/v1/', 404],
    ['PROPFIND', '/api/v1/verifications', 404],
    ['GET', '/api/v1/verifications/%FF', 401],
    ['GET', '/api/v1/verifications/%zz', 401],
    ['OPTIONS', '/api/v1/verifications', 204],
  ])('%s %s (%i) is readable from any origin', async (method, path, status) => {
    const response = await request(server.url, method, path);
    expect(response.status).toBe(status);
    if (status === 404 && method !== 'HEAD') expect(response.body).toEqual(notFound);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-expose-headers')).toBe('X-Request-Id, Retry-After');
    expect(response.headers.has('access-control-allow-credentials')).toBe(false);
    expect(response.headers.get('x-request-id')).toMatch(/\S/);
  });

  it('carries a sane request id of the caller', async () => {
    const response = await request(server.url, 'GET', '/api/v1/verifications/x', undefined, {
      'x-request-id': 'abc-1',
    });
    expect(response.headers.get('x-request-id')).toBe('abc-1');
  });
});

it.each(['/api/v1', '/api/v1/verifications', '/api/v1/verifications/by_number/%2B49', '/api/v1/no/such/path'])(
  'a preflight of %s needs no authorization',
  async (path) => {
    const response = await request(server.url, 'OPTIONS', path, undefined, {
      origin: 'https://shop.example',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,x-timestamp',
    });
    expect(response.status).toBe(204);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, OPTIONS',
      'access-control-allow-headers': 'Authorization, Content-Type, Accept, x-timestamp, X-User-Agent',
      'access-control-max-age': '7200',
    });
  },
);

it.each([
  ['no content type', ''],
  ['a broken content type', 'content-type: ///\r\n'],
  ['another content type', 'content-type: text/plain\r\n'],
])('a body with %s is 400 after authentication', async (_name, header) => {
  const client = await server.client({}, 'basic');
  const body = '{"data":{"destination":"4915112345678","delivery_method":"sms"}}';
  const { authorization = '' } = client.headers('POST', '/', body);
  const response = await raw(
    `POST /api/v1/verifications HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n${header}` +
      `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
  expect(response).toMatch(/^HTTP\/1\.1 400 /);
  expect(response).toContain('parameter_missing');
});

it('a request line with scheme and host is signed by its path, as any other', async () => {
  const path = '/api/v1/verifications/by_number/4915112345678';
  const headers = (await server.client()).headers('GET', path);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const response = await raw(
    `GET http://numbers.example${path}?x=1 HTTP/1.1\r\nhost: x\r\n${lines.join('')}connection: close\r\n\r\n`,
  );
  expect(response).toMatch(/^HTTP\/1\.1 404 /);
  expect(response).toContain('not_found');
});

describe('a body of more than 64 KiB', () => {
  const body = JSON.stringify({ data: { destination: '', filler: 'x'.repeat(64 * 1024) } });
  const start = (headers: Record<string, string>) =>
    request(server.url, 'POST', '/api/v1/verifications', body, { 'content-type': 'application/json', ...headers });

  it('is 401 like any other when nobody can be made out', async () => {
    expect((await start({})).status).toBe(401);
    const headers = (await server.client()).headers('POST', '/api/v1/verifications', `${body} `);
    expect((await start(headers)).status).toBe(401);
  });

  it.each(['public', 'basic', 'application'] as const)('is 400 in %s mode', async (mode) => {
    const response = await (await server.client({}, mode)).send('POST', '/api/v1/verifications', body);
    expect([response.status, response.body.errors?.[0]?.code]).toEqual([400, 'parameter_missing']);
  });
});

function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port, hostname } = new URL(server.url);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let response = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      response += chunk;
    });
    socket.on('end', () => resolve(response)).on('error', reject);
  });
}
