/** Second factors, links for passwords, teams. */
import { beforeEach, describe, expect, it, test } from 'vitest';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { machineClock } from '../../base/clock.ts';
import { stepAt, totpCode } from '../../business/accounts/totp.ts';
import { byBootstrap } from '../operator/act.ts';
import { createOperator } from '../operator/operators.writes.ts';

const server = useOpened(() => startTestServer({ account: { name: 'Acme', ...login, balance: '100' } }));
let browser: PanelClient;
let made = 0;

beforeEach(() => {
  browser = new PanelClient(server.url);
});

/** An account of its own, with its browser signed in. */
async function person() {
  made += 1;
  const credentials = { email: `person${made}@acme.test`, password: 'a long first password' };
  const { accountId } = await server.addAccount({ name: `Person ${made}`, ...credentials });
  await browser.signIn(credentials);
  return { accountId, ...credentials };
}

/** The app's code now, or so many steps later: a code that was taken before does not work again. */
const codeOf = (secret: string, later = 0) => totpCode(secret, stepAt(machineClock.now()) + later);

async function setUpApp(): Promise<{ secret: string; codes: string[] }> {
  await browser.post('/panel/v1/login/confirm', { password: 'a long first password' });
  const { secret } = (await browser.post('/panel/v1/login/totp', {})).body as { secret: string };
  expect((await browser.post('/panel/v1/login/totp/confirm', { code: '000000' })).status).toBe(422);
  const confirmed = await browser.post('/panel/v1/login/totp/confirm', { code: codeOf(secret) });
  return { secret, codes: (confirmed.body as { recovery_codes: string[] }).recovery_codes };
}

describe('an app for codes', () => {
  it('is asked for after the password; a code works once, a recovery code too', async () => {
    const credentials = await person();
    const { secret, codes } = await setUpApp();
    expect(codes).toHaveLength(10);
    const first = await browser.signIn(credentials);
    expect([first.status, first.body]).toEqual([200, { kind: 'second_factor', token: expect.any(String) }]);
    expect(first.headers.getSetCookie()).toEqual([]);
    const { token } = first.body as { token: string };
    const code = codeOf(secret, 1);
    expect((await browser.post('/panel/v1/session/code', { token, code: '123456' })).status).toBe(401);
    expect((await browser.post('/panel/v1/session/code', { token, code })).status).toBe(201);
    expect((await browser.post('/panel/v1/session/code', { token, code })).status).toBe(401);
    const again = (await browser.signIn(credentials)).body as { token: string };
    expect((await browser.post('/panel/v1/session/code', { token: again.token, code })).status).toBe(401);
    const recovery = { token: again.token, code: (codes[3] ?? '').toUpperCase() };
    expect((await browser.post('/panel/v1/session/code', recovery)).status).toBe(201);
    expect((await browser.get('/panel/v1/login')).body).toMatchObject({ totp: true, recovery_codes_left: 9 });
    const third = (await browser.signIn(credentials)).body as { token: string };
    expect((await browser.post('/panel/v1/session/code', { ...recovery, token: third.token })).status).toBe(401);
  });

  it('cannot be guessed: wrong codes are counted, and the right one waits too', async () => {
    const credentials = await person();
    const { secret } = await setUpApp();
    const { token } = (await browser.signIn(credentials)).body as { token: string };
    for (let n = 0; n < 5; n += 1) {
      expect((await browser.post('/panel/v1/session/code', { token, code: '000000' })).status).toBe(401);
    }
    expect((await browser.post('/panel/v1/session/code', { token, code: codeOf(secret, 1) })).status).toBe(429);
  });

  it('is removed with the password only', async () => {
    const credentials = await person();
    await setUpApp();
    server.clock.advance(300);
    expect((await browser.post('/panel/v1/login/totp/remove', {})).status).toBe(403);
    expect((await browser.post('/panel/v1/login/totp/remove', { current: 'wrong' })).status).toBe(403);
    expect((await browser.post('/panel/v1/login/totp/remove', { current: credentials.password })).status).toBe(204);
    expect((await browser.signIn(credentials)).status).toBe(201);
  });

  it('has a second step that ends after five minutes', async () => {
    const credentials = await person();
    const { codes } = await setUpApp();
    const { token } = (await browser.signIn(credentials)).body as { token: string };
    server.clock.advance(301);
    expect((await browser.post('/panel/v1/session/code', { token, code: codes[0] })).status).toBe(401);
  });
});

test('a new password needs the current one, ends all other sessions, and keeps this browser signed in', async () => {
  const credentials = await person();
  const other = new PanelClient(server.url);
  await other.signIn(credentials);
  const wish = { current: credentials.password, password: 'a long second password' };
  expect((await browser.post('/panel/v1/login/password', { ...wish, current: 'wrong' })).status).toBe(403);
  expect((await browser.post('/panel/v1/login/password', { ...wish, password: 'short' })).status).toBe(422);
  expect((await browser.post('/panel/v1/login/password', wish)).status).toBe(201);
  expect((await other.get('/v3/balance')).status).toBe(401);
  expect((await browser.get('/v3/balance')).status).toBe(200);
  expect((await other.signIn({ ...credentials, password: wish.password })).status).toBe(201);
});

describe('a link that sets a password', () => {
  const support = { email: 'links@trunkline.test', password: 'an operator password' };

  it('is made by an operator, works once and ends sessions', async () => {
    const credentials = await person();
    await createOperator(byBootstrap(server.env), { ...support, role: 'support' });
    const desk = new PanelClient(server.url);
    await desk.signIn(support);
    const made = await desk.post('/panel/v1/login/links', { account_id: credentials.accountId });
    const token = ((made.body as { path: string }).path ?? '').split('#')[1];
    expect(made.status).toBe(201);
    const anybody = new PanelClient(server.url);
    const wish = { token, password: 'a password by the link' };
    expect((await anybody.post('/panel/v1/login/set', { ...wish, password: 'short' })).status).toBe(422);
    expect((await anybody.post('/panel/v1/login/set', wish)).status).toBe(204);
    expect((await anybody.post('/panel/v1/login/set', wish)).status).toBe(410);
    expect((await browser.get('/v3/balance')).status).toBe(401);
    expect((await anybody.signIn({ ...credentials, password: wish.password })).status).toBe(201);
  });

  it('is not for customers to make, and ends after a day', async () => {
    const credentials = await person();
    const wish = { account_id: credentials.accountId };
    expect((await browser.post('/panel/v1/login/links', wish)).status).toBe(403);
    const desk = new PanelClient(server.url);
    await desk.signIn(support);
    const made = await desk.post('/panel/v1/login/links', wish);
    expect((await desk.post('/panel/v1/login/links', { operator_id: credentials.accountId })).status).toBe(403);
    server.clock.advance(24 * 3600 + 1);
    const token = ((made.body as { path: string }).path ?? '').split('#')[1];
    expect((await browser.post('/panel/v1/login/set', { token, password: 'a password too late' })).status).toBe(410);
  });
});

describe('a team', () => {
  const invite = (email: string, role: string) =>
    browser.post('/panel/v1/members', { data: { type: 'members', attributes: { email, role } } });

  /** A member who has accepted, in a browser of their own. */
  async function member(role: string): Promise<PanelClient> {
    made += 1;
    const email = `member${made}@acme.test`;
    const invited = await invite(email, role);
    expect(invited.status).toBe(201);
    const client = new PanelClient(server.url);
    const token = String(invited.resource.attributes.invitation).split('#')[1];
    await client.post('/panel/v1/login/set', { token, password: 'the member password' });
    expect((await client.signIn({ email, password: 'the member password' })).status).toBe(201);
    return client;
  }

  const trunk = {
    data: {
      type: 'voice_in_trunks',
      attributes: {
        name: 'by a member',
        configuration: { type: 'sip_configurations', attributes: { host: 'example.com', codec_ids: [9] } },
      },
    },
  };
  const order = { data: { type: 'orders', attributes: { items: [] } } };
  const key = { data: { type: 'api_keys', attributes: { name: 'by a member' } } };
  const newMember = { data: { type: 'members', attributes: { email: 'not-an-address', role: 'owner' } } };

  /** Role × what: whether the role forbids it. Everything else is decided by the interface as for everybody. */
  const table: readonly [role: string, forbidden: Readonly<Record<string, boolean>>][] = [
    ['owner', { trunk: false, order: false, key: false, member: false, clock: false }],
    ['developer', { trunk: false, order: false, key: false, member: true, clock: false }],
    ['billing', { trunk: true, order: false, key: true, member: true, clock: true }],
    ['read-only', { trunk: true, order: true, key: true, member: true, clock: true }],
  ];

  it.each(table)('%s may do what the table says, and reads everything', async (role, forbidden) => {
    await person();
    const client = await member(role);
    expect((await client.get('/panel/v1/session')).body).toMatchObject({ role });
    const asked = {
      trunk: await client.post('/v3/voice_in_trunks', trunk),
      order: await client.post('/v3/orders', order),
      key: await client.post('/panel/v1/api_keys', key),
      member: await client.post('/panel/v1/members', newMember),
      clock: await client.post('/sandbox/v1/clock', { nothing: 1 }),
    };
    const refused = Object.fromEntries(Object.entries(asked).map(([name, { status }]) => [name, status === 403]));
    expect(refused).toEqual(forbidden);
    for (const path of ['/v3/balance', '/v3/voice_in_trunks', '/panel/v1/members', '/sandbox/v1/clock']) {
      expect((await client.get(path)).status).toBe(200);
    }
  });

  it('billing sets the warning of a low balance, and neither the API version nor the callback secret', async () => {
    const { accountId: id } = await person();
    const client = await member('billing');
    const set = (attributes: object) =>
      client.patch(`/panel/v1/account_settings/${id}`, { data: { type: 'account_settings', id, attributes } });
    const done = await set({ low_balance_threshold: '25', low_balance_callback_url: null });
    expect([done.status, done.resource.attributes.low_balance_threshold]).toEqual([200, '25.0']);
    expect((await set({ low_balance_threshold: '30', api_version: '2022-05-10' })).status).toBe(403);
    expect((await set({ callback_secret: 'of billing' })).status).toBe(403);
    const { attributes } = (await client.get(`/panel/v1/account_settings/${id}`)).resource;
    expect(attributes).toMatchObject({ low_balance_threshold: '25.0', has_callback_secret: false });
    expect((await (await member('read-only')).patch(`/panel/v1/account_settings/${id}`, { data: {} })).status).toBe(
      403,
    );
  });

  it('hides the sessions of others from those who are not owners, and a removed member is out at once', async () => {
    await person();
    const client = await member('developer');
    expect((await client.get('/panel/v1/sessions')).resources).toHaveLength(1);
    const list = await browser.get('/panel/v1/members');
    const id = list.resources[0]?.id;
    expect((await client.delete(`/panel/v1/members/${id}`)).status).toBe(403);
    const stranger = new PanelClient(server.url);
    await stranger.signIn();
    expect((await stranger.delete(`/panel/v1/members/${id}`)).status).toBe(404);
    expect((await browser.delete(`/panel/v1/members/${id}`)).status).toBe(204);
    expect((await client.get('/v3/balance')).status).toBe(401);
  });

  it('refuses an address twice and one that is none', async () => {
    await person();
    expect((await invite('twice@acme.test', 'billing')).status).toBe(201);
    expect((await invite('TWICE@acme.test', 'billing')).status).toBe(422);
    expect((await invite('nobody', 'billing')).status).toBe(422);
    expect((await invite('x@acme.test', 'king')).status).toBe(422);
  });
});
