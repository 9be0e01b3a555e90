/** What `/panel/v1` shows and does beyond the public interfaces, and that none of it reaches into another account. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDueJobs } from '../../../test/support/environment.ts';
import { addOperator } from '../../../test/support/operator.ts';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { createTelephony, type Telephony } from '../../../test/support/telephony.ts';
import { delivererOf } from '../../business/voice/events/deliverer.ts';
import { voiceOf } from '../../business/voice/voice.ts';

let server: TestServer;
let receiver: Receiver;
let telephony: Telephony;
let browser: PanelClient;
let stranger: PanelClient;
const json = { 'content-type': 'application/json' };

const theirs = { email: 'else@other.test', password: 'another long password' };

beforeAll(async () => {
  server = await startTestServer({ account: { name: 'Acme', ...login, balance: '10' } });
  receiver = await startReceiver();
  telephony = await createTelephony(server.env);
  browser = new PanelClient(server.url);
  await browser.signIn();
  await server.addAccount(theirs);
  stranger = new PanelClient(server.url);
  await stranger.signIn(theirs);
});

afterAll(async () => {
  await (await voiceOf(server.env)).stop();
  await receiver.close();
  await server.close();
});

const get = async (path: string, client = browser) => JSON.parse((await client.get(`/panel/v1${path}`)).text);
const status = async (key: string, path: string, method = 'GET') =>
  (await fetch(`${server.url}/v3${path}`, { method, headers: { 'api-key': key } })).status;
const newKey = async (attributes: object) =>
  (await browser.post('/panel/v1/api_keys', { data: { type: 'api_keys', attributes } })).resource;

async function callTo(number: string, script: object = { outcomes: [{ code: 200 }], talk_seconds: 5 }) {
  const body = { did_number: number, src_number: '15550100', script };
  const response = await browser.post('/sandbox/v1/calls', body, json);
  expect(response.status).toBe(201);
  return JSON.parse(response.text).id as string;
}

async function routedNumber(): Promise<string> {
  const trunk = await telephony.trunk(server.accountId);
  return (await telephony.did(server.accountId, { voice_in_trunk_id: trunk, channels_included_count: 1 })).number;
}

describe('an API key', () => {
  it('with scopes is refused outside of them, and reading scopes do not write', async () => {
    const { attributes } = await newKey({ name: 'numbers only', scopes: ['numbers:read', 'coverage'] });
    const key = String(attributes.key);
    expect(attributes.scopes).toEqual(['numbers:read', 'coverage']);
    expect(await status(key, '/dids')).toBe(200);
    expect(await status(key, '/countries')).toBe(200);
    expect(await status(key, '/balance')).toBe(403);
    expect(await status(key, '/orders')).toBe(403);
    expect(await status(key, '/dids/00000000-0000-4000-8000-000000000000', 'PATCH')).toBe(403);
    const sandbox = await fetch(`${server.url}/sandbox/v1/clock`, { headers: { 'api-key': key } });
    expect(sandbox.status).toBe(403);
  });

  it('is refused with a scope that does not exist', async () => {
    const { errors } = await browser.post('/panel/v1/api_keys', {
      data: { type: 'api_keys', attributes: { name: 'x', scopes: ['everything'] } },
    });
    expect(errors[0]?.source?.pointer).toMatch(/^\/data\/attributes\/scopes/);
  });

  it('that is replaced works until its time is over', async () => {
    const old = await newKey({ name: 'old' });
    const made = await newKey({ name: 'new', replaces: old.id, overlap_hours: 2 });
    const [oldKey, key] = [String(old.attributes.key), String(made.attributes.key)];
    expect([await status(oldKey, '/balance'), await status(key, '/balance')]).toEqual([200, 200]);
    expect((await browser.get(`/panel/v1/api_keys/${old.id}`)).resource.attributes.expires_at).not.toBeNull();
    const upcoming = await get('/upcoming');
    expect(upcoming.upcoming).toContainEqual(expect.objectContaining({ what: 'key_ends', about: 'old' }));
    server.clock.advance(2 * 3600);
    await browser.signIn();
    expect([await status(oldKey, '/balance'), await status(key, '/balance')]).toEqual([401, 200]);
  });

  it('of another account cannot be replaced', async () => {
    const { id } = await newKey({ name: 'mine' });
    await stranger.signIn(theirs);
    const { errors } = await stranger.post('/panel/v1/api_keys', {
      data: { type: 'api_keys', attributes: { name: 'theirs', replaces: id } },
    });
    expect(errors[0]?.source?.pointer).toBe('/data/attributes/replaces');
  });

  it('has its requests counted, errors apart by their title', async () => {
    const { id, attributes } = await newKey({ name: 'counted' });
    const key = String(attributes.key);
    await status(key, '/balance');
    await status(key, '/balance');
    await status(key, '/dids?filter[nonsense]=1');
    const usage = async () =>
      (await get(`/api_usage?filter[api_key.id]=${id}&sort=path`)).data.map(
        (each: { attributes: object }) => each.attributes,
      );
    await expect.poll(usage).toMatchObject([
      { key_name: 'counted', path: '/v3/balance', status: 200, error: '', requests: 2 },
      { path: '/v3/dids', status: 400, error: 'Filter not allowed', requests: 1 },
    ]);
    expect((await get(`/api_usage?filter[outcome]=error&filter[api_key.id]=${id}`)).data).toHaveLength(1);
    expect((await get('/api_usage', stranger)).data).toHaveLength(0);
  });
});

describe('searching', () => {
  it('finds numbers by some of their digits, trunks by a part of their name, and nothing of others', async () => {
    const number = await routedNumber();
    const digits = number.slice(3, 9);
    const found = await get(`/search?q=${digits}`);
    expect(found.results).toContainEqual(expect.objectContaining({ type: 'dids', label: `+${number}` }));
    expect((await get(`/search?q=${digits}&type=dids`)).results).toHaveLength(1);
    expect((await get(`/search?q=${digits}`, stranger)).results).toEqual([]);
    const quote = await browser.get('/panel/v1/search?q=%27%20or%20%271%27%3D%271');
    expect(JSON.parse(quote.text)).toEqual({ results: [] });
  });

  it.each(['/search?q=1', '/search?q=abc&type=accounts', '/search?q=abc&limit=5'])('refuses %s', async (path) => {
    expect((await browser.get(`/panel/v1${path}`)).status).toBe(400);
  });
});

describe('testing a route', () => {
  it('says where a call would go, and makes none', async () => {
    const number = await routedNumber();
    const run = await get(`/routing?from=15550100&to=${number}`);
    expect(run).toMatchObject({ decision: 'routed', code: null, trunks: [expect.objectContaining({ priority: 1 })] });
    expect((await get('/live_calls')).data).toEqual([]);
    const { number: unrouted } = await telephony.did(server.accountId, { channels_included_count: 1 });
    expect(await get(`/routing?to=${unrouted}`)).toMatchObject({ decision: 'refused', code: expect.any(Number) });
  });

  it('does not tell whose a number is', async () => {
    const number = await routedNumber();
    const theirs = await stranger.get(`/panel/v1/routing?to=${number}`);
    const unknown = await stranger.get('/panel/v1/routing?to=4999999999');
    expect([theirs.status, unknown.status]).toEqual([404, 404]);
  });
});

describe('calls', () => {
  it('are active while they are up, and show their attempts afterwards', async () => {
    const number = await routedNumber();
    const id = await callTo(number, { outcomes: [{ code: 200 }], talk_seconds: null });
    const live = await get('/live_calls');
    expect(live.data.map((each: { attributes: object }) => each.attributes)).toEqual([
      expect.objectContaining({ call_id: id, direction: 'in', state: 'answered', from: '15550100', to: number }),
    ]);
    expect((await get('/live_calls', stranger)).data).toEqual([]);
    await browser.post(`/sandbox/v1/calls/${encodeURIComponent(id)}/hangup`, undefined);
    await expect.poll(async () => (await get('/live_calls')).data).toEqual([]);
    const [call] = (await get(`/calls?filter[call_id]=${encodeURIComponent(id)}`)).data;
    expect((await browser.get(`/panel/v1/calls/${call.id}`)).resource.attributes).toMatchObject({ did_number: number });
    expect((await stranger.get(`/panel/v1/calls/${call.id}`)).status).toBe(404);
    expect((await get(`/call_attempts?filter[call_id]=${encodeURIComponent(id)}`)).data).toHaveLength(1);
    expect((await get(`/call_attempts?filter[call_id]=${encodeURIComponent(id)}`, stranger)).data).toHaveLength(0);
    const { days } = await get('/statistics?days=7');
    expect(days).toHaveLength(7);
    expect(days.at(-1).answered).toBeGreaterThan(0);
    expect((await browser.get('/panel/v1/statistics?days=0')).status).toBe(400);
  });
});

describe('call events', () => {
  it('go to the endpoint that the account has set, and are sent again', async () => {
    const attributes = { stream: 'voice_in_events', url: `${receiver.url}/events`, username: 'u', password: 'p' };
    const made = await browser.post('/panel/v1/call_event_endpoints', {
      data: { type: 'call_event_endpoints', attributes },
    });
    expect(made.status).toBe(201);
    expect(made.resource.attributes).toMatchObject({ stream: 'voice_in_events', has_password: true });
    expect(made.resource.attributes).not.toHaveProperty('password');
    const id = await callTo(await routedNumber());
    const events = async () => (await get(`/call_events?filter[call_id]=${encodeURIComponent(id)}`)).data;
    await delivererOf(server.env).deliverDue();
    await expect
      .poll(async () => (await events()).map((each: { attributes: { state: string } }) => each.attributes.state))
      .toEqual(expect.arrayContaining(['delivered', 'delivered']));
    const before = receiver.received.length;
    const [event] = await events();
    const replay = (client: PanelClient) =>
      client.patch(`/panel/v1/call_events/${event.id}`, {
        data: { id: event.id, type: 'call_events', attributes: { replay: true } },
      });
    expect((await replay(stranger)).status).toBe(404);
    expect((await replay(browser)).status).toBe(200);
    await delivererOf(server.env).deliverDue();
    await expect.poll(() => receiver.received.length).toBe(before + 1);
    const all = { since: '2020-01-01T00:00:00Z', until: '2030-01-01T00:00:00Z', failed_only: false };
    const replayed = await browser.post('/panel/v1/call_event_replays', all, json);
    expect(JSON.parse(replayed.text)).toEqual({ replayed: (await events()).length, more: false });
    const { id: endpoint } = made.resource;
    expect((await stranger.delete(`/panel/v1/call_event_endpoints/${endpoint}`)).status).toBe(404);
    expect((await browser.delete(`/panel/v1/call_event_endpoints/${endpoint}`)).status).toBe(204);
    expect((await get('/call_event_endpoints')).data).toEqual([]);
  });
});

describe('callbacks', () => {
  it('are tested, logged with request and response, sent again one by one and by window, and their signature explained', async () => {
    const test = () => browser.post('/panel/v1/test_callbacks', { url: `${receiver.url}/hook` }, json);
    expect((await test()).status).toBe(409);
    const secret = {
      data: { id: server.accountId, type: 'account_settings', attributes: { callback_secret: 'topsecret' } },
    };
    expect((await browser.patch(`/panel/v1/account_settings/${server.accountId}`, secret)).status).toBe(200);
    expect((await test()).status).toBe(201);
    await runDueJobs(server.env);
    const [callback] = (await get('/callbacks')).data;
    expect(callback.attributes).toMatchObject({ kind: 'test', status: 'delivered', last_status: 200 });
    const [attempt] = (await get(`/callback_attempts?filter[callback.id]=${callback.id}`)).data;
    const { headers, body, url, method } = JSON.parse(attempt.attributes.request);
    const sent = receiver.received.at(-1);
    expect(sent?.headers['webhook-id']).toBe(callback.id);

    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const pasted = [`${method} ${new URL(url).pathname} HTTP/1.1`, ...lines, '', body].join('\r\n');
    const check = async (request: string, given?: string, client = browser) =>
      client.post('/panel/v1/signature_checks', { request, ...(given === undefined ? {} : { secret: given }) }, json);
    expect(JSON.parse((await check(pasted, 'topsecret')).text)).toMatchObject({
      first_difference: null,
      signature_matches: true,
      secret_matches: true,
      signed_with: 'callback_secret',
    });
    const changed = JSON.parse((await check(pasted.replace('type=test', 'type=Test'), 'wrong')).text);
    expect(changed).toMatchObject({
      first_difference: 'body, line 3',
      signature_matches: false,
      secret_matches: false,
    });
    expect((await check(pasted, undefined, stranger)).status).toBe(400);
    expect((await check('no request at all')).status).toBe(400);

    const before = receiver.received.length;
    const replay = (client: PanelClient) =>
      client.patch(`/panel/v1/callbacks/${callback.id}`, {
        data: { id: callback.id, type: 'callbacks', attributes: { replay: true } },
      });
    expect((await replay(stranger)).status).toBe(404);
    expect((await replay(browser)).status).toBe(200);
    await runDueJobs(server.env);
    expect(receiver.received).toHaveLength(before + 1);
    const window = { since: '2020-01-01T00:00:00Z', until: '2030-01-01T00:00:00Z', failed_only: false };
    expect(JSON.parse((await stranger.post('/panel/v1/callback_replays', window, json)).text).replayed).toBe(0);
    expect(JSON.parse((await browser.post('/panel/v1/callback_replays', window, json)).text).replayed).toBe(1);
    await runDueJobs(server.env);
    expect(receiver.received).toHaveLength(before + 2);
    expect((await get('/callbacks', stranger)).data).toEqual([]);
    expect((await get(`/callback_attempts?filter[callback.id]=${callback.id}`, stranger)).data).toEqual([]);
  });
});

describe('the account', () => {
  it('chooses the version of its requests, of those that exist', async () => {
    const patch = (api_version: string) =>
      browser.patch(`/panel/v1/account_settings/${server.accountId}`, {
        data: { id: server.accountId, type: 'account_settings', attributes: { api_version } },
      });
    const versionOf = async () => {
      const response = await fetch(`${server.url}/v3/balance`, { headers: { 'api-key': server.key } });
      return JSON.parse(await response.text()).meta.api_version;
    };
    expect((await patch('2022-05-10')).status).toBe(200);
    expect((await get(`/account_settings/${server.accountId}`)).data.attributes.api_version).toBe('2022-05-10');
    await expect.poll(versionOf).toBe('2022-05-10');
    expect((await patch('1999-01-01')).status).toBe(422);
    expect((await patch('2026-04-16')).status).toBe(200);
  });
});

describe('verifications', () => {
  it('are listed for their account only', async () => {
    const created = await browser.post('/panel/v1/otp_applications', {
      data: { type: 'otp_applications', attributes: { name: 'shop' } },
    });
    const { key, secret } = created.resource.attributes;
    const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`;
    const started = await fetch(`${server.url}/api/v1/verifications`, {
      method: 'POST',
      headers: { authorization, ...json },
      body: JSON.stringify({ data: { destination: '+447700900123', delivery_method: 'sms' } }),
    });
    expect(started.status).toBeLessThan(300);
    const list = async (query: string, client = browser) => (await get(`/verifications?${query}`, client)).data;
    const [mine] = await list('filter[destination_contains]=7700900');
    expect(mine.attributes).toMatchObject({ application_name: 'shop', delivery_method: 'sms', status: 'pending' });
    expect(await list('', stranger)).toEqual([]);
    expect((await stranger.get(`/panel/v1/verifications/${mine.id}`)).status).toBe(404);

    await runDueJobs(server.env);
    server.clock.advance(301);
    await browser.signIn();
    const expired = { status: 'expired', error_code: 'expired' };
    expect((await list('filter[status]=expired'))[0].attributes).toMatchObject(expired);
    const shown = await fetch(`${server.url}/api/v1/verifications/${mine.id}`, { headers: { authorization } });
    expect(await shown.json()).toMatchObject({ data: expired });
    const operator = await addOperator(server);
    const seen = await operator.client.get(`/verifications?filter[status]=expired&filter[id]=${mine.id}`);
    expect(seen.resources[0]?.attributes).toMatchObject(expired);
    expect(await list('filter[status]=pending,failed')).toEqual([]);
  });
});
