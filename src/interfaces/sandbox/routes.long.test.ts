/** The control interface: its clock, its errors, who may use it. */
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { createProcesses } from '../../../test/support/processes.ts';
import { createAccount } from '../../business/accounts/accounts.ts';
import { createApiKey } from '../../business/accounts/api-keys.ts';
import { taskHandlers } from '../../run/boot/tasks.ts';
import type { WholeEnvironment } from '../server/whole-environment.ts';
import type { ClockMovers } from './clock-movers.ts';
import { sandboxRoom } from './routes.ts';

let test: TestEnvironment;
let app: FastifyInstance;
let key: string;

const serve = async (env: WholeEnvironment, movers: ClockMovers = 'any') => {
  const server = Fastify();
  await server.register(async (scope) => sandboxRoom(taskHandlers, movers)(scope, env));
  await server.ready();
  return server;
};
const keyOf = async (env: WholeEnvironment) => {
  const account = await createAccount(env, { name: 'Acme' });
  return (await createApiKey(env, account.id, { name: 'ci' })).key;
};

beforeEach(async () => {
  test = await createTestEnvironment({ at: '2026-01-01T00:00:00Z' });
  app = await serve(test.env);
  key = await keyOf(test.env);
});
afterEach(async () => {
  await app.close();
  await test.close();
});

const call = (
  method: 'GET' | 'POST',
  url: string,
  body?: unknown,
  headers: Record<string, string> = { 'api-key': key },
) =>
  app.inject({ method, url: `/sandbox/v1${url}`, headers, ...(body === undefined ? {} : { payload: body as object }) });

describe('/sandbox/v1/clock', () => {
  it('tells the time', async () => {
    const response = await call('GET', '/clock');
    expect([response.statusCode, response.json()]).toEqual([
      200,
      { now: '2026-01-01T00:00:00.000Z', offset_seconds: 0, factor: 1 },
    ]);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('moves the clock forward', async () => {
    const response = await call('POST', '/clock', { advance_seconds: 31 });
    expect([response.statusCode, response.json()]).toEqual([
      200,
      { now: '2026-01-01T00:00:31.000Z', offset_seconds: 31, factor: 1 },
    ]);
    expect((await call('GET', '/clock')).json().now).toBe('2026-01-01T00:00:31.000Z');
  });

  it.each([
    [{ advance_seconds: 0 }, /advance_seconds/],
    [{ advance_seconds: -5 }, /advance_seconds/],
    [{ advance_seconds: 1.5 }, /advance_seconds/],
    [{ advance_seconds: '31' }, /advance_seconds/],
    [{ advance_seconds: 1e12 }, /advance_seconds/],
    [{ advance_seconds: 1, more: true }, /^more is not known$/],
    [{}, /advance_seconds/],
    [[], /./],
  ])('refuses %j and leaves the clock alone', async (body, text) => {
    const response = await call('POST', '/clock', body);
    expect(response.statusCode).toBe(422);
    expect(response.json()).toEqual({ error: expect.stringMatching(text) });
    expect(test.clock.now().toISOString()).toBe('2026-01-01T00:00:00.000Z');
  });

  it('cannot be more than a hundred years ahead', async () => {
    test.clock.advance(100 * 365.25 * 86_400 - 60);
    const before = test.clock.now();
    const response = await call('POST', '/clock', { advance_seconds: 61 });
    expect([response.statusCode, response.json()]).toEqual([
      422,
      {
        error: "The clock may be at most 100 years ahead of the machine's; it can be advanced by 60 seconds more.",
      },
    ]);
    expect(test.clock.now()).toEqual(before);
    expect((await call('POST', '/clock', { advance_seconds: 60 })).statusCode).toBe(200);
  });

  it.each<[string, ClockMovers, number]>([
    ['any account', 'any', 200],
    ['this account by its name', { accounts: ['Somebody', 'Acme'] }, 200],
    ['another account', { accounts: ['Somebody'] }, 403],
    ['the operator only', 'operator', 403],
  ])('may be moved by %s', async (_who, movers, status) => {
    const server = await serve(test.env, movers);
    const post = { method: 'POST', url: '/sandbox/v1/clock', headers: { 'api-key': key } } as const;
    const response = await server.inject({ ...post, payload: { advance_seconds: 5 } });
    expect(response.statusCode).toBe(status);
    if (status === 403) {
      expect(response.json()).toEqual({
        error: 'The operator of this sandbox does not let this account move the clock.',
      });
    }
    const read = await server.inject({ url: '/sandbox/v1/clock', headers: { 'api-key': key } });
    expect(read.json()).toMatchObject({ offset_seconds: status === 200 ? 5 : 0 });
    await server.close();
  });

  it('refuses broken JSON and other media types with their statuses', async () => {
    const headers = { 'api-key': key, 'content-type': 'application/json' };
    const broken = await app.inject({ method: 'POST', url: '/sandbox/v1/clock', headers, payload: '{"advance' });
    expect([broken.statusCode, Object.keys(broken.json())]).toEqual([400, ['error']]);
    const form = await app.inject({
      method: 'POST',
      url: '/sandbox/v1/clock',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'advance_seconds=31',
    });
    expect([form.statusCode, Object.keys(form.json())]).toEqual([415, ['error']]);
  });
});

describe('/sandbox/v1', () => {
  it('needs a key', async () => {
    for (const headers of [{}, { 'api-key': 'some other key, long enough' }]) {
      const response = await call('GET', '/clock', undefined, headers as Record<string, string>);
      expect(response.statusCode).toBe(401);
      expect(response.json()).toEqual({ error: 'The api-key header is missing or the key is not valid here.' });
    }
  });

  it('answers an unknown path with 404', async () => {
    const response = await call('GET', '/teapot');
    expect([response.statusCode, response.json()]).toEqual([404, { error: 'There is nothing here.' }]);
  });

  it('does not exist in production', async () => {
    const production = await createTestEnvironment({ name: 'production' });
    const server = await serve(production.env);
    const response = await server.inject({
      url: '/sandbox/v1/clock',
      headers: { 'api-key': await keyOf(production.env) },
    });
    expect(response.statusCode).toBe(404);
    await server.close();
    await production.close();
  });
});

it('moves the clock of every process that serves the sandbox', async () => {
  const processes = await createProcesses();
  const [one, two] = [await processes.start(), await processes.start()];
  const servers = [await serve(one), await serve(two)];
  const headers = { 'api-key': await keyOf(one) };
  const read = async (index: number) =>
    (await servers[index]?.inject({ url: '/sandbox/v1/clock', headers }))?.json().offset_seconds;
  await servers[0]?.inject({ method: 'POST', url: '/sandbox/v1/clock', headers, payload: { advance_seconds: 86_400 } });
  expect(await read(0)).toBe(86_400);
  await expect.poll(() => read(1)).toBe(86_400);
  for (const server of servers) await server.close();
  await processes.close();
});
