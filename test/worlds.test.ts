/**
 * Worlds of a running server: made, used, reset, copied and ended over HTTP, each apart from the others and from the
 * sandbox.
 */
import { connect } from 'node:net';
import pg from 'pg';
import { expect, it } from 'vitest';
import { ask, createBench } from './support/boot.ts';

const { start, ownDatabases, bootstrapFile } = createBench();

const key = 'the key of the account acme';

interface World {
  id: string;
  url: string;
  api_key: string;
  otp_application: { key: string; secret: string };
  now: string;
  sip?: { host: string; port: number };
}

interface Reply {
  status: number;
  text: string;
  json: Answer;
}

/** The members of responses that are looked at. */
type Answer = World & {
  error: string;
  offset_seconds: number;
  worlds: World[];
  data: { attributes: { name: string } }[];
};

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

async function call(
  method: string,
  url: string,
  apiKey: string,
  body?: object,
  type = 'application/json',
): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: { 'api-key': apiKey, ...(body ? { 'content-type': type } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, text, json: JSON.parse(text || '{}') };
}

it('worlds live apart, go back to how they began, and are found again or ended after a kill', async () => {
  const databases = await ownDatabases();
  const variables = {
    ...databases,
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_SANDBOX_SIP_PORT: '0',
    TRUNKLINE_BOOTSTRAP: await bootstrapFile(key),
    TRUNKLINE_SERVER_KEY: Buffer.alloc(32, 3).toString('base64'),
    TRUNKLINE_WORLDS: '8',
    TRUNKLINE_WORLDS_READY: '1',
  };
  const first = await start('one', variables);
  let root = (await first.ready()).environments.sandbox?.url ?? '';
  const make = async (body: object): Promise<World> => {
    const made = await call('POST', `${root}/sandbox/v1/worlds`, key, body);
    expect(made.status, made.text).toBe(201);
    return made.json;
  };
  const trunks = async (url: string, apiKey: string): Promise<string[]> =>
    (await call('GET', `${url}/v3/voice_in_trunks`, apiKey)).json.data.map(({ attributes }) => attributes.name);
  const addTrunk = async (url: string, apiKey: string, name: string): Promise<Reply> => {
    const configuration = { type: 'sip_configurations', attributes: { host: 'sip.example.net', codec_ids: [9] } };
    const data = { type: 'voice_in_trunks', attributes: { name, configuration } };
    return call('POST', `${url}/v3/voice_in_trunks`, apiKey, { data }, 'application/vnd.api+json');
  };
  const number = async (question: string): Promise<number> =>
    (await ask<{ n: number }>(databases.SANDBOX_DATABASE_URL, question))[0]?.n ?? -1;
  const rows = (condition: string) => number(`select count(*)::int as n from worlds where ${condition}`);
  const count = (kind: string) =>
    number(`select count(*)::int as n from pg_database where starts_with(datname, current_database() || '_${kind}_')`);

  const [one, two] = await Promise.all([make({ from: 'empty', name: 'one' }), make({ from: 'empty' })]);
  expect(one.url).toBe(`${root}/w/${one.id}`);

  // By its path and, with its key, at the root address; links carry the world's address either way.
  expect((await addTrunk(one.url, one.api_key, 'of one')).status).toBe(201);
  const atRoot = await addTrunk(root, one.api_key, 'of one too');
  expect(atRoot.status).toBe(201);
  expect(atRoot.text).toContain(`${root}/w/${one.id}/v3/`);
  expect((await trunks(one.url, one.api_key)).sort()).toEqual(['of one', 'of one too']);
  expect(await trunks(two.url, two.api_key)).toEqual([]);
  expect(await trunks(root, key)).toEqual([]);

  // A key opens its own world only.
  expect((await call('GET', `${two.url}/v3/balance`, one.api_key)).status).toBe(401);
  expect((await call('GET', `${one.url}/v3/balance`, key)).status).toBe(401);
  expect((await call('GET', `${root}/w/${'0'.repeat(16)}/v3/balance`, one.api_key)).status).toBe(404);
  expect((await call('GET', `${one.url}/sandbox/v1/worlds`, one.api_key)).status).toBe(404);

  // The clock is the world's.
  const advance = { advance_seconds: 86_400 };
  expect((await call('POST', `${one.url}/sandbox/v1/clock`, one.api_key, advance)).status).toBe(200);
  const offset = async (url: string, apiKey: string) =>
    (await call('GET', `${url}/sandbox/v1/clock`, apiKey)).json.offset_seconds;
  expect([await offset(one.url, one.api_key), await offset(two.url, two.api_key), await offset(root, key)]).toEqual([
    86_400, 0, 0,
  ]);

  // A code is verified with the world's own application, by path and at the root address.
  for (const base of [one.url, root]) {
    const { key: user, secret } = one.otp_application;
    const authorization = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
    const started = await fetch(`${base}/api/v1/verifications`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ identity: { type: 'number', endpoint: '+447700900123' }, method: 'sms' }),
    });
    expect(started.status, await started.text()).not.toBe(401);
  }

  // A snapshot is a state that other worlds begin with.
  const saved = await call('POST', `${root}/sandbox/v1/snapshots`, key, { name: 'two trunks', world: one.id });
  expect(saved.status, saved.text).toBe(201);
  expect((await call('POST', `${root}/sandbox/v1/snapshots`, key, { name: 'two trunks', world: one.id })).status).toBe(
    409,
  );
  const three = await make({ from: 'two trunks' });
  expect((await trunks(three.url, three.api_key)).sort()).toEqual(['of one', 'of one too']);
  expect((await call('DELETE', `${root}/sandbox/v1/snapshots/two%20trunks`, key)).status).toBe(409);

  // A reset goes back, with the same keys.
  expect((await call('POST', `${root}/sandbox/v1/worlds/${one.id}/reset`, key)).status).toBe(200);
  expect(await trunks(one.url, one.api_key)).toEqual([]);
  expect(await offset(one.url, one.api_key)).toBe(0);

  // The sandbox itself, copied while it is in use.
  expect((await addTrunk(root, key, 'of the sandbox')).status).toBe(201);
  const current = await make({ from: 'current' });
  expect(await trunks(current.url, current.api_key)).toEqual(['of the sandbox']);
  expect(await trunks(current.url, key)).toEqual(['of the sandbox']);
  expect((await addTrunk(current.url, current.api_key, 'of the copy')).status).toBe(201);
  expect(await trunks(root, key)).toEqual(['of the sandbox']);

  // One account may have half of them.
  const refused = await call('POST', `${root}/sandbox/v1/worlds`, key, { from: 'empty' });
  expect([refused.status, refused.json.error]).toEqual([429, expect.stringContaining('This account has 4 worlds')]);
  expect((await call('POST', `${root}/sandbox/v1/worlds`, key, { from: 'nothing' })).status).toBe(429);
  expect((await call('DELETE', `${root}/sandbox/v1/worlds/${two.id}`, key)).status).toBe(204);
  expect((await call('GET', `${two.url}/v3/balance`, two.api_key)).status).toBe(404);
  expect((await call('POST', `${root}/sandbox/v1/worlds`, key, { from: 'nothing' })).status).toBe(422);

  // Killed while one world is being made and another is being ended: both wait, since nobody may write to the list of
  // databases.
  expect((await call('DELETE', `${root}/sandbox/v1/worlds/${current.id}`, key)).status).toBe(204);
  const phones = await make({ from: 'empty', sip: true });
  await expect.poll(() => rows("state in ('ending', 'making')")).toBe(0);
  const blocker = new pg.Client(databases.SANDBOX_DATABASE_URL);
  await blocker.connect();
  await blocker.query('begin; lock table pg_database in share mode');
  const cutOff = [
    call('POST', `${root}/sandbox/v1/worlds`, key, { from: 'current' }),
    call('DELETE', `${root}/sandbox/v1/worlds/${one.id}`, key),
  ].map((request) => request.catch(() => null));
  await expect
    .poll(async () => [await rows("state = 'ending'"), await rows(`template like '%_s_' || id`)])
    .toEqual([1, 1]);
  await first.stop('SIGKILL');
  await blocker.end();
  await Promise.all(cutOff);
  // Their sessions do what they were told although nobody waits for it. Another process might, so this is some minutes
  // later.
  const sessions = "pg_stat_activity where state = 'active' and query ~ '^(create|drop) database'";
  await expect.poll(() => number(`select count(*)::int as n from ${sessions}`)).toBe(0);
  await ask(
    databases.SANDBOX_DATABASE_URL,
    "update worlds set used_at = used_at - interval '10 minutes' where state <> 'used'",
  );
  const second = await start('two', variables);
  root = (await second.ready()).environments.sandbox?.url ?? '';
  await expect.poll(() => rows("state = 'ending' or template like '%_s_' || id")).toBe(0);
  expect((await call('GET', `${root}/w/${one.id}/v3/balance`, one.api_key)).status).toBe(404);
  // SIP listens on the port that the world had.
  const { port = 0 } = phones.sip ?? {};
  await expect.poll(() => accepts(port)).toBe(true);
  expect((await trunks(`${root}/w/${three.id}`, three.api_key)).sort()).toEqual(['of one', 'of one too']);
  const { worlds } = (await call('GET', `${root}/sandbox/v1/worlds`, key)).json;
  expect(worlds.map(({ id }) => id)).toEqual([three.id, phones.id]);
  for (const { id } of worlds) {
    expect((await call('DELETE', `${root}/sandbox/v1/worlds/${id}`, key)).status).toBe(204);
  }
  expect((await call('DELETE', `${root}/sandbox/v1/snapshots/two%20trunks`, key)).status).toBe(204);
  await expect.poll(() => count('s')).toBe(0);
  // Those that are kept ready stay.
  await expect.poll(() => count('w')).toBeLessThanOrEqual(2);
});
