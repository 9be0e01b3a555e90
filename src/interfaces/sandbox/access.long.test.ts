/** The control interface is no way around what a key, a session or a suspended account may not do elsewhere. */
import { beforeAll, expect, test } from 'vitest';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { createApiKey } from '../../business/accounts/api-keys.ts';
import { confirmedSeconds } from '../../business/accounts/confirmed-acts.ts';
import { keyScopes } from '../../business/accounts/key-scopes.ts';
import { suspendAccount } from '../operator/accounts.writes.ts';
import { byBootstrap } from '../operator/act.ts';

const server = useOpened(() => startTestServer({ worlds: true, account: { name: 'Acme', ...login } }));

const keyWith = async (...scopes: string[]) =>
  (await createApiKey(server.env, server.accountId, { name: scopes.join(), scopes })).key;

async function ask(key: string, method: string, path: string, body?: object) {
  const response = await fetch(`${server.url}/sandbox/v1${path}`, {
    method,
    headers: { 'api-key': key, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

const newKey = 'a key that a seed would add';
const seed = { accounts: [{ api_keys: [{ name: 'more', key: newKey }] }] };
const world = (from: string) => ({ from });

/** What shows, copies or makes records of every kind. */
const whole = [
  ['GET', '/requests'],
  ['GET', '/deliveries'],
  ['GET', '/timeline'],
  ['GET', '/listen'],
  ['GET', '/snapshots/before'],
  ['POST', '/snapshots', { name: 'another' }],
  ['POST', '/worlds', world('current')],
  ['POST', '/worlds', world('before')],
  ['POST', '/seed', seed],
] as const;

beforeAll(async () => {
  expect((await ask(server.key, 'POST', '/snapshots', { name: 'before' })).status).toBe(201);
});

test('a key for the sandbox alone makes no key, and reads and copies nothing that it may not read elsewhere', async () => {
  for (const scopes of [['sandbox'], keyScopes.filter((scope) => !scope.endsWith(':read')).slice(1)]) {
    const key = await keyWith(...scopes);
    for (const [method, path, body] of whole) {
      const { status, body: answer } = await ask(key, method, path, body);
      expect([path, status, answer]).toEqual([path, 403, { error: expect.stringContaining('all scopes') }]);
    }
  }
  expect((await server.client.with({ key: newKey }).get('/balance')).status).toBe(401);
  const key = await keyWith('sandbox');
  const made = await ask(key, 'POST', '/worlds', world('empty'));
  expect(made.status).toBe(201);
  expect((await ask(key, 'DELETE', `/worlds/${made.body.id}`)).status).toBe(204);
});

test('playing the reviewer changes what belongs to regulation', async () => {
  const path = '/address_verifications/00000000-0000-4000-8000-000000000000/decision';
  const decide = async (...scopes: string[]) => {
    const { status } = await ask(await keyWith(...scopes), 'POST', path, { action: 'approve' });
    return status;
  };
  expect([await decide('sandbox'), await decide('sandbox', 'regulation:read')]).toEqual([403, 403]);
  expect(await decide('sandbox', 'regulation')).toBe(404);
});

test('a key with all scopes is as good as one without', async () => {
  const key = await keyWith(...keyScopes);
  for (const path of ['/requests', '/deliveries', '/timeline']) expect((await ask(key, 'GET', path)).status).toBe(200);
  expect((await ask(key, 'POST', '/seed', { accounts: [] })).status).toBe(201);
});

test('a session makes no keys here that it could not make elsewhere', async () => {
  const browser = new PanelClient(server.url);
  await browser.signIn();
  server.clock.advance(confirmedSeconds);
  for (const [path, body] of [
    ['/seed', seed],
    ['/worlds', world('empty')],
  ] as const) {
    const { status, text } = await browser.post(`/sandbox/v1${path}`, body);
    expect([path, status, text]).toEqual([path, 403, expect.stringContaining('Confirm that it is you')]);
  }
  await browser.post('/panel/v1/login/confirm', { password: login.password });
  expect((await browser.post('/sandbox/v1/seed', { accounts: [] })).status).toBe(201);
});

test('a suspended account uses nothing of it, and makes no other account that would', async () => {
  const { accountId, key } = await server.addAccount({ name: 'Suspended' });
  await suspendAccount(byBootstrap(server.env), accountId, { reason: 'Unpaid invoice 7' });
  const other = { accounts: [{ name: 'Not suspended', api_keys: [{ name: 'k', key: newKey }] }] };
  const asked = [...whole, ['GET', '/clock'], ['POST', '/worlds', world('empty')], ['POST', '/seed', other]] as const;
  for (const [method, path, body] of asked) {
    const { status, body: answer } = await ask(key, method, path, body);
    expect([path, status, answer]).toEqual([path, 403, { error: 'Unpaid invoice 7' }]);
  }
});
