/** Refusals before a room is reached, in the form of each interface. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';

/** Here nothing is refused for being slow, however busy the machine is. */
let server: TestServer;
let impatient: TestServer;
beforeAll(async () => {
  const limits = { headersMs: 120_000, bodyMs: 120_000, requestMs: 120_000, connectionsPerAddress: 12 };
  const short = { headersMs: 300, bodyMs: 300, requestMs: 1_500 };
  server = await startTestServer({ server: { limits, uncounted: [] } });
  impatient = await startTestServer({ server: { limits: { ...limits, ...short } } });
});
afterAll(() => Promise.all([server.close(), impatient.close()]));

interface Raw {
  status: number;
  headers: string;
  body: string;
}

const send = (...parts: string[]): Promise<Raw> => sendTo(server, ...parts);

/** Sends bytes as they are, and reads until the server closes. */
async function sendTo({ url }: TestServer, ...parts: string[]): Promise<Raw> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const part of parts) socket.write(part);
  await closed;
  const [headers = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1.1 (\d+)/.exec(headers)?.[1] ?? 0), headers: headers.toLowerCase(), body };
}

const kinds = {
  'headers that are too large': (path: string) => [
    `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
  ],
  'an unknown expectation': (path: string) => [
    `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nexpect: money\r\ncontent-length: 2\r\n\r\n{}`,
  ],
  'no Host header': (path: string) => [`GET ${path} HTTP/1.1\r\nconnection: close\r\n\r\n`],
  'a broken request': (path: string) => [`GET ${path} HTTP/9.9\r\nhost x\r\n\r\n`],
  'a method nobody knows': (path: string) => [`FETCH ${path} HTTP/1.1\r\nhost: x\r\n\r\n`],
  'a method no route has': (path: string) => [
    `PROPFIND ${path} HTTP/1.1\r\nhost: x\r\napi-key: ${server.key}\r\nconnection: close\r\n\r\n`,
  ],
  'a URL that is too long': (path: string) => [
    `GET ${path}?a=${'b'.repeat(70_000)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
  ],
};

const expected = [
  ['headers that are too large', 431, 431, 'headers_too_large'],
  ['an unknown expectation', 417, 417, 'expectation_failed'],
  ['no Host header', 400, 400, 'malformed_request'],
  ['a broken request', 400, 400, 'malformed_request'],
  ['a method nobody knows', 405, 404, 'not_found'],
  ['a method no route has', 405, 404, 'not_found'],
  ['a URL that is too long', 414, 414, 'uri_too_long'],
] as const;

describe.each(expected)('%s', (kind, platform, verification, code) => {
  test(`is ${platform} in the form of JSON:API`, async () => {
    const { status, headers, body } = await send(...kinds[kind]('/v3/orders'));
    expect(status).toBe(platform);
    expect(headers).toContain('content-type: application/vnd.api+json');
    expect(headers).toContain('x-request-id: ');
    const { errors, meta } = JSON.parse(body);
    expect([errors[0].status, errors[0].code, meta.api_version]).toEqual([`${platform}`, `${platform}`, '2026-04-16']);
  });

  test(`is ${verification} in the envelope of /api/v1, readable for browsers`, async () => {
    const { status, headers, body } = await send(...kinds[kind]('/api/v1/verifications/by_number/1'));
    expect([status, JSON.parse(body).errors[0].code]).toEqual([verification, code]);
    expect(headers).toContain('access-control-allow-origin: *');
  });
});

test('440 ids in a filter are not too many', async () => {
  const ids = Array.from({ length: 440 }, (_each, n) => `aaaaaaaa-aaaa-4aaa-8aaa-${String(n).padStart(12, '0')}`);
  const response = await server.client.get(`/orders?filter[id]=${ids.join('%2C')}`);
  expect([response.status, response.resources]).toEqual([200, []]);
});

describe('time', () => {
  const head = (path: string) =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\napi-key: ${impatient.key}\r\ncontent-type: application/vnd.api+json\r\ncontent-length: 1000\r\n`;

  test('headers that never end are cut off', async () => {
    expect((await sendTo(impatient, head('/v3/orders'))).status).toBe(408);
  });

  test('a body that never ends is cut off, in the form of its interface', async () => {
    const { status, body } = await sendTo(impatient, `${head('/v3/orders')}\r\n`, '{"data":');
    expect([status, JSON.parse(body).errors[0].code]).toEqual([408, '408']);
  });

  test('nobody waits for the body of somebody unknown', async () => {
    // The server would wait two minutes for the body, and then answer 408.
    const { status } = await send(
      'POST /api/v1/verifications HTTP/1.1\r\nhost: x\r\nauthorization: Basic eDp5\r\nconnection: close\r\ncontent-length: 1000\r\n\r\n',
    );
    expect(status).toBe(401);
  });
});

test('one address has only so many connections at a time', async () => {
  const port = Number(new URL(server.url).port);
  const sockets = Array.from({ length: 30 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  try {
    await expect.poll(() => sockets.filter(({ destroyed }) => destroyed).length).toBeGreaterThanOrEqual(30 - 12);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});
