/** The approval callback: when it is sent, and what its response decides. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ClientMode, VerificationClient } from '../../../test/support/verification-client.ts';
import { listen, startVerificationServer, type VerificationServer } from '../../../test/support/verification-server.ts';
import { addressPolicy } from '../../engines/outbound/address-policy.ts';
import { outboundHttp } from '../../engines/outbound/outbound-http.ts';
import { createHttpServer } from '../server/http-server.ts';
import { createApplication } from './application.writes.ts';
import { decisionOf } from './approval-callback.ts';
import { sign } from './authorization.ts';
import { verificationRoom } from './room.ts';

let server: VerificationServer;
let last = 0;
const fresh = () => `4915300${String(++last).padStart(6, '0')}`;

interface Asked {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}
const asked: Asked[] = [];
let answer: (response: ServerResponse, body: string) => void | Promise<void>;
const receiver = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    asked.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    void answer(response, body);
  });
});
let base: string;
const allow = (response: ServerResponse) => void response.end('{"action":"allow","extra":1}');

beforeAll(async () => {
  server = await startVerificationServer({ machineNow: () => new Date(1767225605_000) });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const address = receiver.address();
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
});
beforeEach(() => {
  asked.length = 0;
  answer = allow;
});
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await server.close();
});

/** The server's machine clock stands still, so only the unsigned modes are of use here. */
const start = async (mode: ClientMode, callbackUrl: string | null, destination = fresh()) =>
  (await server.client({ callbackUrl }, mode)).start({ destination, delivery_method: 'sms' });

describe('the approval callback', () => {
  it('is a signed POST about the verification that the start answers with', async () => {
    const made = await createApplication(server.env, server.accountId, {
      name: 'signed',
      callbackUrl: `${base}/hook/a%20b/ü?x=1`,
    });
    const client = new VerificationClient(server.url, { key: made.key, secret: made.secret.reveal() }, 'basic');
    const { status, body } = await client.start({ destination: '+4915112345678', delivery_method: 'callout' });
    expect([status, body.data?.status]).toEqual([201, 'pending']);
    const [request] = asked;
    expect(request).toMatchObject({ method: 'POST', url: '/hook/a%20b/%C3%BC?x=1' });
    expect(JSON.parse(request?.body ?? '')).toEqual({
      event: 'verification_request',
      data: { id: body.data?.id, destination: '4915112345678', delivery_method: 'callout' },
    });
    const signature = sign(made.signingKey, {
      method: 'POST',
      body: Buffer.from(request?.body ?? ''),
      contentType: 'application/json',
      timestamp: '1767225605',
      path: '/hook/a%20b/%C3%BC',
    });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Trunkline',
      accept: 'application/json',
      connection: 'close',
      'x-timestamp': '1767225605',
      authorization: `Application ${made.key}:${signature}`,
    });
  });

  it.each([
    ['public', true, 1, 'pending', null],
    ['public', false, 0, 'denied', 'denied_missing_callback_url'],
    ['basic', true, 1, 'pending', null],
    ['basic', false, 0, 'pending', null],
  ] as const)('in mode %s with an address (%s) is sent %i times', async (mode, hasUrl, times, status, code) => {
    const { body } = await start(mode, hasUrl ? base : null);
    expect(asked).toHaveLength(times);
    expect(body.data).toMatchObject({ status, error_code: code });
  });

  it('is not sent for a signed request', async () => {
    const signing = await startVerificationServer();
    try {
      const client = await signing.client({ callbackUrl: base });
      expect((await client.start({ destination: fresh(), delivery_method: 'sms' })).body.data?.status).toBe('pending');
      expect(asked).toHaveLength(0);
    } finally {
      await signing.close();
    }
  });

  it('that denies makes a denied record: nothing sent, no cooldown, nothing superseded, newest by number', async () => {
    const destination = fresh();
    const client = await server.client({ callbackUrl: base }, 'basic');
    const pending = (await client.start({ destination, delivery_method: 'sms' })).body.data?.id ?? '';
    server.clock.advance(30);
    answer = (response) => void response.end('{"action":"deny"}');
    for (let i = 0; i < 2; i++) {
      const denied = await client.start({ destination, delivery_method: 'sms' });
      expect(denied.status).toBe(201);
      expect(denied.body.data).toMatchObject({
        status: 'denied',
        error_code: 'denied_by_callback',
        error_detail: 'your callback denied the request',
        expires_at: expect.any(String),
        sms: { code_length: 6, interception_timeout: 300 },
      });
      const { body } = await client.send('GET', `/api/v1/verifications/by_number/${destination}`);
      expect(body.data?.id).toBe(denied.body.data?.id);
      expect((await client.report(denied.body.data?.id ?? '', '1')).status).toBe(200);
    }
    expect((await client.status(pending)).body.data?.status).toBe('pending');
    await server.dispatch();
    const messages = await server.env.db
      .selectFrom('sandbox_messages')
      .select('verification_id')
      .where('destination', '=', destination)
      .execute();
    expect(messages.map((message) => message.verification_id)).toEqual([pending]);
  });

  it('is not asked while the cooldown lasts, and a record does not exist before it has answered', async () => {
    const destination = fresh();
    const client = await server.client({ callbackUrl: base }, 'basic');
    let seen = 0;
    answer = async (response, body) => {
      seen = (await client.status(JSON.parse(body).data.id)).status;
      response.end('{"action":"allow"}');
    };
    expect((await client.start({ destination, delivery_method: 'sms' })).status).toBe(201);
    expect(seen).toBe(404);
    expect((await client.start({ destination, delivery_method: 'sms' })).status).toBe(429);
    expect(asked).toHaveLength(1);
  });

  it('holds no connection of the pool while it waits', async () => {
    const client = await server.client({ callbackUrl: base }, 'basic');
    const waiting: ServerResponse[] = [];
    answer = (response) => void waiting.push(response);
    const starts = Array.from({ length: 25 }, () => client.start({ destination: fresh(), delivery_method: 'sms' }));
    await expect.poll(() => waiting.length).toBe(25);
    // The pool has ten; were they held, nothing else could be asked. Logs and counts are written in the background
    // meanwhile.
    await expect.poll(() => server.env.pool.totalCount - server.env.pool.idleCount).toBe(0);
    for (const response of waiting) allow(response);
    expect((await Promise.all(starts)).map(({ status }) => status)).toEqual(new Array(25).fill(201));
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['a redirect', (response) => void response.writeHead(302, { location: `${base}/allow` }).end('{"action":"allow"}')],
    ['an error status', (response) => void response.writeHead(500).end('{"action":"allow"}')],
    ['no content', (response) => void response.writeHead(204).end()],
    ['no JSON', (response) => void response.end('allow')],
    ['another action', (response) => void response.end('{"action":"Allow"}')],
    ['8,193 bytes', (response) => void response.end(`{"action":"allow"}${' '.repeat(8193 - 18)}`)],
    ['a stream without end', (response) => void response.write(' '.repeat(10_000))],
    ['a broken connection', (response) => void response.destroy()],
  ])('that answers with %s is unusable', async (_name, respond) => {
    answer = respond;
    expect((await start('basic', base)).body.data).toMatchObject({
      status: 'denied',
      error_code: 'denied_invalid_callback_response',
      error_detail: 'callback response was invalid',
    });
    expect(asked).toHaveLength(1);
  });

  it('may answer with exactly 8,192 bytes', async () => {
    answer = (response) => void response.end(`{"action":"allow"}${' '.repeat(8192 - 18)}`);
    expect((await start('basic', base)).body.data?.status).toBe('pending');
  });

  it('does not reach a private address unless that is allowed', async () => {
    const guarded = outboundHttp(addressPolicy({ allowEverything: false, allowedRanges: [] }));
    const env = { ...server.env, outbound: guarded };
    const app = await createHttpServer(env, { rooms: [verificationRoom] });
    try {
      const url = await listen(app);
      for (const host of [base, base.replace('127.0.0.1', 'localhost'), 'http://169.254.169.254/']) {
        const made = await createApplication(env, server.accountId, { name: host, callbackUrl: host });
        const client = new VerificationClient(url, { key: made.key, secret: '' }, 'public');
        const { body } = await client.start({ destination: fresh(), delivery_method: 'sms' });
        expect(body.data?.error_code).toBe('denied_invalid_callback_response');
      }
      expect(asked).toHaveLength(0);
    } finally {
      await app.close();
      await guarded.close();
    }
  });
});

it.each([
  [200, '{"action":"allow"}', null],
  [299, '{"action":"allow"}', null],
  [200, '{"action":"deny"}', 'denied_by_callback'],
  [300, '{"action":"allow"}', 'denied_invalid_callback_response'],
  [200, '["allow"]', 'denied_invalid_callback_response'],
  [200, 'null', 'denied_invalid_callback_response'],
  [200, '', 'denied_invalid_callback_response'],
])('a response %i %s decides %s', (status, body, decision) => {
  expect(decisionOf(status, Buffer.from(body))).toBe(decision);
});
