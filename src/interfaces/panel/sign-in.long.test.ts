/** Signing in, sessions, and requests from elsewhere. */
import { beforeEach, describe, expect, it } from 'vitest';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { idleSeconds, longestSeconds } from '../../business/accounts/sessions.ts';

const server = useOpened(() => startTestServer({ account: { name: 'Acme', ...login, balance: '100' } }));
let browser: PanelClient;

beforeEach(() => {
  browser = new PanelClient(server.url);
});

describe('signing in', () => {
  it('opens a session that /v3, /sandbox/v1 and /panel/v1 take instead of a key', async () => {
    const response = await browser.signIn();
    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({ kind: 'account', environment: 'sandbox', account: { name: 'Acme' } });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect((await browser.get('/panel/v1/session')).body).toMatchObject({ account: { email: login.email } });
    expect((await browser.get('/v3/balance')).resource.attributes.total_balance).toBe('100.00');
    expect((await browser.get('/sandbox/v1/clock')).status).toBe(200);
    expect((await browser.get('/panel/v1/sessions')).status).toBe(200);
  });

  it('sets a cookie that scripts and other sites cannot use', async () => {
    const [cookie = ''] = (await browser.signIn()).headers.getSetCookie();
    expect(cookie).toMatch(/^trunkline_sandbox_session=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
  });

  it('takes the e-mail address in any case of letters', async () => {
    expect((await browser.signIn({ ...login, email: ' OPS@Acme.test ' })).status).toBe(201);
  });

  it('stores only a hash of the token', async () => {
    await browser.signIn();
    const token = browser.cookie.split('=')[1] ?? '';
    const { rows } = await server.env.pool.query('select * from panel_sessions');
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(rows.every(({ token_hash }) => !token_hash.equals(Buffer.from(token, 'base64url')))).toBe(true);
  });

  it('says the same for a wrong password and an unknown address', async () => {
    const wrong = await browser.signIn({ ...login, password: 'not the password' });
    const unknown = await browser.signIn({ ...login, email: 'nobody@acme.test' });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(unknown.body).toEqual(wrong.body);
    expect(wrong.headers.getSetCookie()).toEqual([]);
    await browser.signIn();
  });

  it.each([[{}], [{ email: login.email }], [{ email: 5, password: [] }], [{ email: 'a\0b', password: 'x' }], ['x']])(
    'refuses %j',
    async (body) => {
      expect((await browser.post('/panel/v1/session', body)).status).toBe(400);
    },
  );
});

describe('a session', () => {
  it('gets a new token at every sign-in, and the former one ends', async () => {
    await browser.signIn();
    const former = browser.cookie;
    await browser.signIn();
    expect(browser.cookie).not.toBe(former);
    expect((await browser.get('/v3/balance', { cookie: former })).status).toBe(401);
    expect((await browser.get('/v3/balance')).status).toBe(200);
  });

  it('is never opened under a token that the client brought', async () => {
    browser.cookie = `trunkline_sandbox_session=${'a'.repeat(43)}`;
    await browser.signIn();
    expect(browser.cookie).not.toContain('aaaaaaaa');
    expect((await browser.get('/v3/balance', { cookie: `trunkline_sandbox_session=${'a'.repeat(43)}` })).status).toBe(
      401,
    );
  });

  it('ends when its person signs out', async () => {
    await browser.signIn();
    const { cookie } = browser;
    const out = await browser.delete('/panel/v1/session');
    expect([out.status, out.headers.getSetCookie()[0]]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect((await browser.get('/v3/balance', { cookie })).status).toBe(401);
  });

  it('is listed and can be ended from another one, but not by another account', async () => {
    const other = new PanelClient(server.url);
    const stranger = new PanelClient(server.url);
    const theirs = { email: 'else@other.test', password: 'another long password' };
    await server.addAccount(theirs);
    await browser.signIn(login, { 'user-agent': 'First <b>browser</b>' });
    await other.signIn();
    await stranger.signIn(theirs);
    const list = await other.get('/panel/v1/sessions');
    const mine = list.resources.find((each) => each.attributes.current);
    const first = list.resources.find(({ attributes }) => !attributes.current && attributes.user_agent !== '');
    expect(mine?.id).not.toBe(first?.id);
    expect(first?.attributes).toMatchObject({ ip: '127.0.0.1', user_agent: 'First <b>browser</b>', current: false });
    expect((await stranger.delete(`/panel/v1/sessions/${first?.id}`)).status).toBe(404);
    expect((await other.delete(`/panel/v1/sessions/${first?.id}`)).status).toBe(204);
    expect((await browser.get('/v3/balance')).status).toBe(401);
    expect((await other.get('/v3/balance')).status).toBe(200);
  });

  it('ends when it is idle, by the environment’s clock', async () => {
    await browser.signIn();
    server.clock.advance(idleSeconds - 1);
    expect((await browser.get('/v3/balance')).status).toBe(200);
    server.clock.advance(idleSeconds - 1);
    expect((await browser.get('/v3/balance')).status).toBe(200);
    server.clock.advance(idleSeconds);
    expect((await browser.get('/v3/balance')).status).toBe(401);
  });

  it('ends after its longest time, however busy', async () => {
    await browser.signIn();
    for (let passed = 0; passed < longestSeconds - 3600; passed += 3600 * 11) {
      server.clock.advance(3600 * 11);
      await browser.get('/v3/balance');
    }
    server.clock.advance(3600 * 11);
    expect((await browser.get('/v3/balance')).status).toBe(401);
  });
});

describe('a cookie from elsewhere', () => {
  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }],
    ['a foreign origin', { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }],
  ])('is not taken with a request of %s', async (_what, headers) => {
    await browser.signIn();
    const body = { data: { type: 'api_keys', attributes: { name: 'stolen' } } };
    expect((await browser.get('/v3/balance', headers)).status).toBe(401);
    expect((await browser.post('/panel/v1/api_keys', body, headers)).status).toBe(401);
    expect((await browser.get('/panel/v1/session', headers)).status).toBe(401);
    expect((await browser.signIn(login, headers)).status).toBe(403);
    expect((await browser.delete('/panel/v1/session', headers)).status).toBe(403);
    expect((await browser.post('/sandbox/v1/clock', { advance_seconds: 1 }, headers)).status).toBe(401);
  });

  it('writes nothing without the header that forms cannot send', async () => {
    await browser.signIn();
    const { cookie } = browser;
    const plain = await fetch(`${server.url}/v3/voice_in_trunks`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/vnd.api+json', 'sec-fetch-site': 'same-origin' },
      body: '{}',
    });
    expect(plain.status).toBe(401);
  });

  it('is ignored where there is an API key, even a wrong one', async () => {
    await browser.signIn();
    expect((await browser.get('/v3/balance', { 'api-key': 'not-a-key-of-anybody' })).status).toBe(401);
  });
});

it('has the same limits as a key: another account’s records are not there', async () => {
  const theirs = { email: 'third@other.test', password: 'another long password' };
  await server.addAccount(theirs);
  const other = new PanelClient(server.url);
  await other.signIn(theirs);
  await browser.signIn();
  const trunk = await server.client.post('/voice_in_trunks', {
    data: {
      type: 'voice_in_trunks',
      attributes: {
        name: 'mine',
        configuration: { type: 'sip_configurations', attributes: { host: 'example.com', codec_ids: [9] } },
      },
    },
  });
  const path = `/v3/voice_in_trunks/${trunk.resource.id}`;
  expect((await browser.get(path)).status).toBe(200);
  expect((await other.get(path)).status).toBe(404);
  expect((await other.delete(path)).status).toBe(404);
});

it('keeps the session of whoever moves the clock', async () => {
  await browser.signIn();
  const seconds = longestSeconds + 60;
  const moved = await browser.send('POST', '/sandbox/v1/clock', undefined, {});
  expect(moved.status).toBe(422);
  const response = await fetch(`${server.url}/sandbox/v1/clock`, {
    method: 'POST',
    headers: {
      cookie: browser.cookie,
      'x-trunkline-panel': '1',
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ advance_seconds: seconds }),
  });
  expect(response.status).toBe(200);
  expect((await browser.get('/v3/balance')).status).toBe(200);
});
