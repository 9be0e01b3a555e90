/** Who may open SIP over WebSocket at `/sip`, and what becomes of such connections. */
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createWorld, type World } from '../../business/b2bua/world.fixture.ts';
import { createHttpServer } from './http-server.ts';

let world: World;
let base: string;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  world = await createWorld();
  base = await serve();
});
afterAll(async () => {
  await world.close();
  for (const close of closing) await close();
});

async function serve(endpoint: World['endpoint'] | null = world.endpoint): Promise<string> {
  const app = await createHttpServer(
    { ...world.world.env, sip: { endpoint } },
    { rooms: [], trustedProxies: ['127.0.0.1'], sipOrigins: ['https://phone.example.com'] },
  );
  closing.push(() => app.close());
  return app.listen({ host: '127.0.0.1', port: 0 });
}

/** What becomes of a handshake: the status that refused it, or the subprotocol that was agreed on. */
async function connect(headers: Readonly<Record<string, string>> = {}, protocols = ['sip'], url = base) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/sip`, protocols, { headers });
  const ended = Promise.withResolvers<string | number>();
  socket.on('open', () => ended.resolve(socket.protocol));
  socket.on('error', () => undefined);
  socket.on('unexpected-response', (_request, response) => {
    ended.resolve(response.statusCode ?? 0);
    response.resume();
  });
  const result = await ended.promise;
  return { socket, result };
}

async function resultOf(...given: Parameters<typeof connect>): Promise<string | number> {
  const { socket, result } = await connect(...given);
  socket.terminate();
  return result;
}

test('pages of this server connect, and those that the operator named; programs say no origin', async () => {
  expect(await resultOf({ origin: base })).toBe('sip');
  expect(await resultOf({ origin: 'https://phone.example.com' })).toBe('sip');
  expect(await resultOf()).toBe('sip');
  for (const origin of ['https://evil.example', 'null', base.replace('http:', 'https:'), `${base}0`]) {
    expect([origin, await resultOf({ origin })]).toEqual([origin, 403]);
  }
  // Behind a proxy that ends TLS the page's own address begins with https.
  const proxied = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'panel.example.com' };
  expect(await resultOf({ ...proxied, origin: 'https://panel.example.com' })).toBe('sip');
});

test('other protocols, other requests and processes without SIP are refused', async () => {
  expect(await resultOf({}, ['chat'])).toBe(400);
  expect(await resultOf({}, [])).toBe(400);
  expect(await resultOf({}, ['chat', 'sip'])).toBe('sip');
  expect((await fetch(`${base}/sip`)).status).toBe(426);
  expect(await resultOf({}, ['sip'], await serve(null))).toBe(503);
  // Node's HTTP clients may ask for HTTP/2, which nobody here answers.
  expect((await fetch(`${base}/healthz`)).status).toBe(200);
});

test('a client has a hundred connections, and others have theirs', async () => {
  const mine = { 'x-forwarded-for': '203.0.113.50' };
  const opened = await Promise.all(Array.from({ length: 100 }, () => connect(mine)));
  expect(new Set(opened.map(({ result }) => result))).toEqual(new Set(['sip']));
  expect(await resultOf(mine)).toBe(429);
  expect(await resultOf({ 'x-forwarded-for': '203.0.113.51' })).toBe('sip');
  for (const { socket } of opened) socket.terminate();
  await expect.poll(() => resultOf(mine)).toBe('sip');
});

test('what is no SIP is dropped; a frame that is too large ends the connection', async () => {
  const { socket } = await connect();
  const heard: string[] = [];
  socket.on('message', (data) => heard.push(String(data)));
  socket.send('hello');
  socket.send('\r\n');
  socket.send('\r\n\r\n');
  await expect.poll(() => heard).toEqual(['\r\n']);
  const closed = once(socket, 'close');
  socket.send('x'.repeat(70_000));
  expect((await closed)[0]).toBe(1009);
});

test('a client that floods is disconnected', async () => {
  const { socket } = await connect();
  const closed = once(socket, 'close');
  for (let count = 0; count < 1_000; count++) socket.send('\r\n');
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([1008, 'Too many messages in a second']);
});
