/** Requests that find no room, in the form of each interface. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { createAccount } from '../../business/accounts/accounts.ts';
import { createApiKey } from '../../business/accounts/api-keys.ts';
import { platformRoom } from '../platform/v3/routes.ts';
import { createApplication } from '../verification/application.writes.ts';
import { verificationRoom } from '../verification/room.ts';
import { createHttpServer } from './http-server.ts';
import type { InFlightLimits } from './in-flight.ts';
import { callerOf, laneOf } from './overload.ts';
import { Turns } from './turns.ts';

const patience = { timeout: 60_000 };

const house = useOpened(() => createTestEnvironment());
let key: string;
beforeAll(async () => {
  key = await addAccount('Acme');
});

async function addAccount(name: string): Promise<string> {
  const account = await createAccount(house.env, { name, balance: '100' });
  return (await createApiKey(house.env, account.id, { name: 'test' })).key;
}

async function addApplication(name: string): Promise<string> {
  const account = await createAccount(house.env, { name, balance: '100' });
  const { key, secret } = await createApplication(house.env, account.id, { name: 'test' });
  return `Basic ${Buffer.from(`${key}:${secret.reveal()}`).toString('base64')}`;
}

async function serve(inFlight?: InFlightLimits, turns = new Turns()): Promise<URL> {
  const rooms = [platformRoom, verificationRoom];
  const app = await createHttpServer(house.env, { rooms, turns, ...(inFlight && { inFlight }) });
  onTestFinished(() => app.close());
  return new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
}

interface Connection {
  /** Sends the head of a request; of its body only the announcement. */
  send(method: string, path: string, header: string): void;
  /** The status lines of the responses so far. */
  statuses(): string[];
  text(): string;
  socket: Socket;
}

async function open({ hostname, port }: URL): Promise<Connection> {
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return {
    socket,
    text: () => text,
    statuses: () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status ?? ''),
    send: (method, path, header) => {
      const body = method === 'GET' ? '' : 'content-type: application/vnd.api+json\r\ncontent-length: 2\r\n';
      socket.write(`${method} ${path} HTTP/1.1\r\nhost: test\r\n${header}\r\n${body}\r\n`);
    },
  };
}

/** Sends a request that never ends, until another one finds no room beside it. */
async function hold(url: URL, path: string, header: string, probe: () => Promise<number>): Promise<Connection> {
  let held: Connection | null = null;
  await expect
    .poll(async () => {
      // The first, or refused itself because a request before it was not quite over.
      if (held !== null && held.statuses().length === 0) return probe();
      held = await open(url);
      held.send('POST', path, header);
      return null;
    }, patience)
    .toBe(503);
  if (held === null) throw new Error('nothing was sent');
  return held;
}

/** How many requests have been refused by their head alone. */
async function refusedByHead(url: URL): Promise<number> {
  const text = await (await fetch(new URL('/metrics', url))).text();
  return Number(/^trunkline_http_requests_total\{.*route="refused".*\} (\d+)/m.exec(text)?.[1] ?? 0);
}

test('a request that finds no room is 503 with Retry-After in the form of its interface', async () => {
  const url = await serve({ platform: 0, perAccount: 0, verification: 0 });
  const ask = (path: string) => fetch(new URL(path, url), { headers: { origin: 'https://shop.test' } });
  const platform = await ask('/v3/countries');
  expect([platform.status, platform.headers.get('retry-after'), await platform.json()]).toMatchObject([
    503,
    '1',
    { errors: [{ code: '503', detail: 'The server is busy. Nothing was changed. Try again in a moment.' }] },
  ]);
  expect(platform.headers.get('access-control-allow-origin')).toBe('https://shop.test');
  expect(platform.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  const code = await ask('/api/v1/verifications/x');
  expect([code.status, code.headers.get('retry-after'), await code.json()]).toEqual([
    503,
    '1',
    { errors: [{ code: 'service_unavailable', detail: 'service is busy, try again in a moment' }] },
  ]);
  expect((await ask('/healthz')).status).toBe(200);
  expect(await refusedByHead(url)).toBe(2);
  // Refusals without an origin are built once, but each has an id of its own.
  const ids: unknown[] = [];
  for (const _time of [1, 2]) {
    const { status, headers } = await fetch(new URL('/v3/countries', url));
    expect([status, headers.get('retry-after'), headers.get('access-control-allow-origin')]).toEqual([503, '1', null]);
    ids.push(headers.get('x-request-id'));
  }
  expect(new Set(ids).size).toBe(2);
});

test('an account with too many requests is refused by its head alone, without waiting for a body', async () => {
  const url = await serve({ platform: 10, perAccount: 1, verification: 10 });
  const read = async () => (await fetch(new URL('/v3/balance', url), { headers: { 'api-key': key } })).status;
  expect(await read()).toBe(200);
  const first = await hold(url, '/v3/orders', `api-key: ${key}`, read);
  const before = await refusedByHead(url);
  const second = await open(url);
  second.send('POST', '/v3/orders', `api-key: ${key}`);
  await expect.poll(() => second.statuses(), patience).toEqual(['503']);
  expect(second.text()).toMatch(/^retry-after: 1\r$/im);
  expect(await refusedByHead(url)).toBe(before + 1);
  // Others are not refused, and neither is this account once it has room.
  const other = await fetch(new URL('/v3/balance', url), { headers: { 'api-key': await addAccount('Other') } });
  expect(other.status).toBe(200);
  first.socket.destroy();
  await expect.poll(read, patience).toBe(200);
});

test('a client that does not wait is answered when the time it was told to wait is over', async () => {
  const url = await serve({ platform: 1, perAccount: 1, verification: 10 });
  const holder = await hold(
    url,
    '/v3/orders',
    `api-key: ${key}`,
    async () => (await fetch(new URL('/v3', url))).status,
  );
  const impatient = await open(url);
  const began = performance.now();
  const askAgain = async (statuses: string[]) => {
    impatient.send('GET', '/v3/balance', `api-key: ${key}`);
    await expect.poll(() => impatient.statuses(), patience).toEqual(statuses);
  };
  await askAgain(['503']);
  await askAgain(['503', '503']);
  // The second it was told to wait begins with the first response, which a busy test may read late.
  expect(performance.now() - began).toBeGreaterThan(990);
  // What has been made to wait is served if there is room by then.
  const served = askAgain(['503', '503', '200']);
  holder.socket.destroy();
  await served;
});

test('one request of another account comes before those that an account has sent at once', async () => {
  const turns = new Turns({ together: 1, longestMs: 600_000 });
  const url = await serve(undefined, turns);
  const otherKey = await addAccount('One at a time');
  const read = async (asKey: string) =>
    (await fetch(new URL('/v3/balance', url), { headers: { 'api-key': asKey } })).status;
  // From now on the server knows whose requests these are.
  expect([await read(key), await read(otherKey)]).toEqual([200, 200]);
  const holder = await open(url);
  holder.send('POST', '/v3/orders', `api-key: ${key}`);
  await expect.poll(() => turns.working, patience).toBe(1);
  const answered: string[] = [];
  const send = (who: string, asKey: string) => read(asKey).then(() => answered.push(who));
  const flood = Array.from({ length: 5 }, () => send('flood', key));
  await expect.poll(() => turns.waiting, patience).toBe(5);
  const other = send('other', otherKey);
  await expect.poll(() => turns.waiting, patience).toBe(6);
  holder.socket.destroy();
  await other;
  expect(answered.indexOf('other')).toBe(0);
  await Promise.all(flood);
  expect(answered).toHaveLength(6);
});

test('an account that fills its share of codes leaves room for those of others', async () => {
  const url = await serve({ platform: 10, perAccount: 1, verification: 2 });
  const flooder = await addApplication('Flood');
  const status = async (authorization: string) =>
    (await fetch(new URL('/api/v1/verifications/x', url), { headers: { authorization } })).status;
  expect(await status(flooder)).toBe(404);
  await hold(url, '/api/v1/verifications', `authorization: ${flooder}`, () => status(flooder));
  expect(await status(await addApplication('Codes'))).toBe(404);
});

test('what is remembered of a caller is short, tells no secret, and differs between callers', () => {
  const from = (headers: Record<string, string>) =>
    callerOf({ socket: { remoteAddress: '192.0.2.1' } as Socket, headers });
  const long = from({ 'api-key': 'hunter2', 'x-forwarded-for': '192.0.2.7, '.repeat(1_000) });
  expect(long.length).toBeLessThan(64);
  expect(long).not.toContain('hunter2');
  const callers = [
    long,
    from({ 'api-key': 'hunter2' }),
    from({ 'api-key': 'hunter3' }),
    from({ authorization: 'Basic eDp5' }),
  ];
  expect(new Set(callers).size).toBe(callers.length);
  const signed = (signature: string) => from({ authorization: `HMAC key:${signature}` });
  expect(signed('one')).toBe(signed('two'));
});

test.each([
  ['/v3/orders', 'platform'],
  ['/v3?x', 'platform'],
  ['http://host/v3/orders', 'platform'],
  ['/api/v1/verifications', 'verification'],
  ['/v30', null],
  ['/healthz', null],
  ['/sandbox/v1/clock', null],
])('%s is counted as %s', (url, lane) => {
  expect(laneOf(url)).toBe(lane);
});
