/** How worlds are taken, limited and ended, and which addresses they have. */
import { createHmac } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestEnvironment, environmentOf } from '../../../test/support/environment.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { type MadeWorld, send, WorldClient } from '../../../test/support/world-client.ts';
import { openTestWorlds } from '../../../test/support/worlds.ts';
import { connectionOf, createPool } from '../../engines/db/pool.ts';
import { taskHandlers } from '../../run/boot/tasks.ts';
import { resumeAccount, suspendAccount } from '../operator/accounts.writes.ts';
import { byBootstrap } from '../operator/act.ts';
import { createHttpServer } from '../server/http-server.ts';
import { roomsWith } from '../server/rooms.ts';
import { sign, signingKey } from '../verification/authorization.ts';

const server = useOpened(() => startTestServer({ worlds: { TRUNKLINE_WORLDS: '4', TRUNKLINE_WORLDS_READY: '1' } }));
const worldsUrl = () => `${server.url}/sandbox/v1/worlds`;
const make = async (body: object = { from: 'empty' }, key = server.key): Promise<WorldClient> =>
  new WorldClient(await send<MadeWorld>('POST', worldsUrl(), { 'api-key': key }, body));
const end = ({ made }: WorldClient) => send('DELETE', `${worldsUrl()}/${made.id}`, { 'api-key': server.key });
const rows = async <T extends object>(question: string): Promise<T[]> =>
  (await server.env.pool.query<T>(question)).rows;
const statusOf = async (url: string, headers: Record<string, string>) => (await fetch(url, { headers })).status;

test('a world is given without its database; the request that follows waits for that', async () => {
  await end(await make());
  await expect.poll(() => rows("select from worlds where state = 'ready'")).toHaveLength(1);
  const [ready] = await rows<{ id: string; database: string }>(
    "select id, current_database() || '_w_' || id as database from worlds where state = 'ready'",
  );
  await server.env.pool.query(`alter database ${ready?.database} with allow_connections false`);
  const world = await make();
  expect(world.made.id).toBe(ready?.id);
  const headers = { 'api-key': world.made.api_key };
  expect(await statusOf(`${world.made.url}/v3/balance`, headers)).toBe(503);
  await server.env.pool.query(`alter database ${ready?.database} with allow_connections true`);
  expect(await statusOf(`${world.made.url}/v3/balance`, headers)).toBe(200);
  await end(world);
});

test('a world says where worlds and snapshots are managed', async () => {
  const world = await make();
  const headers = { 'api-key': world.made.api_key };
  for (const url of [`${world.made.url}/sandbox/v1/snapshots`, worldsUrl()]) {
    const response = await fetch(url, { headers });
    const error = expect.stringContaining('with the key that made this world');
    expect([response.status, await response.json()]).toEqual([404, { error }]);
  }
  expect(await (await fetch(`${world.made.url}/sandbox/v1/world`, { headers })).json()).toEqual({
    error: 'There is nothing here.',
  });
  await end(world);
});

test('worlds of a suspended account answer nobody until it may work again', async () => {
  const owner = await server.addAccount();
  const world = await make({ from: 'empty' }, owner.key);
  const headers = { 'api-key': world.made.api_key };
  const statuses = () =>
    Promise.all([`${world.made.url}/v3/balance`, `${server.url}/v3/balance`].map((url) => statusOf(url, headers)));
  expect(await statuses()).toEqual([200, 200]);
  await suspendAccount(byBootstrap(server.env), owner.accountId, { reason: 'Fraud' });
  await expect.poll(statuses).toEqual([404, 401]);
  await resumeAccount(byBootstrap(server.env), owner.accountId);
  await expect.poll(statuses).toEqual([200, 200]);
  await send('DELETE', `${worldsUrl()}/${world.made.id}`, { 'api-key': owner.key });
});

test('the time of a new world is that of its snapshot, moved on', async () => {
  const first = await make();
  await first.control('POST', '/clock', { factor: 1000 });
  await first.control('POST', '/clock', { advance_seconds: 86_400 });
  await send(
    'POST',
    `${server.url}/sandbox/v1/snapshots`,
    { 'api-key': server.key },
    {
      name: 'tomorrow',
      world: first.made.id,
    },
  );
  const [snapshot] = await rows<{ ms: number }>('select clock_offset_ms as ms from world_snapshots where complete');
  expect(snapshot?.ms).toBeGreaterThanOrEqual(86_400_000);
  const before = Date.now();
  const second = await make({ from: 'tomorrow' });
  const told = new Date(second.made.now).getTime() - (snapshot?.ms ?? 0);
  expect(told).toBeGreaterThanOrEqual(before);
  expect(told).toBeLessThanOrEqual(Date.now());
  // Its clock runs on from there, with its factor, and not from when the snapshot was made.
  const { now } = await second.control<{ now: string }>('GET', '/clock');
  expect(new Date(now).getTime()).toBeGreaterThanOrEqual(new Date(second.made.now).getTime());
  expect(new Date(now).getTime() - new Date(second.made.now).getTime()).toBeLessThan(1000 * (Date.now() - before));
  await Promise.all([end(first), end(second)]);
});

test('a reset world has its keys again, and so has one whose template has no account for them', async () => {
  const world = await make();
  await world.control('POST', '/seed', { accounts: [{ balance: '5.00' }] });
  await send(
    'POST',
    `${server.url}/sandbox/v1/snapshots`,
    { 'api-key': server.key },
    {
      name: 'foreign',
      world: world.made.id,
    },
  );
  const [snapshot] = await rows<{ database: string }>(
    "select current_database() || '_s_' || id as database from world_snapshots where name = 'foreign'",
  );
  const foreign = new pg.Client(connectionOf(server.env.pool).replace(/\/[^/?]*(?=\?|$)/, `/${snapshot?.database}`));
  await foreign.connect();
  await foreign.query("update accounts set name = 'Of another server'");
  await foreign.end();
  const other = await make({ from: 'foreign' });
  for (const { made } of [world, other]) {
    const { key, secret } = made.otp_application;
    const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`;
    for (const reset of [false, true]) {
      if (reset) await send('POST', `${worldsUrl()}/${made.id}/reset`, { 'api-key': server.key }, {});
      expect(await statusOf(`${made.url}/v3/balance`, { 'api-key': made.api_key })).toBe(200);
      const unknown = `${made.url}/api/v1/verifications/0197a000-0000-7000-8000-000000000000`;
      expect(await statusOf(unknown, { authorization })).toBe(404);
    }
  }
  await Promise.all([end(world), end(other)]);
});

test('requests at once never exceed the limits, and each refusal says which limit it is', async () => {
  const others = [await server.addAccount(), await server.addAccount()];
  const attempts = [server, ...others].flatMap(({ key }) =>
    Array.from({ length: 4 }, async () => {
      const response = await fetch(worldsUrl(), {
        method: 'POST',
        headers: { 'api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ from: 'empty' }),
      });
      const { id, error } = (await response.json()) as { id?: string; error?: string };
      return { key, status: response.status, id, error };
    }),
  );
  const answers = await Promise.all(attempts);
  const made = answers.filter(({ status }) => status === 201);
  expect(made).toHaveLength(4);
  for (const { key } of [server, ...others]) {
    expect(made.filter((each) => each.key === key).length).toBeLessThanOrEqual(2);
  }
  for (const { status, error } of answers.filter((each) => !made.includes(each))) {
    expect([status, error]).toEqual([
      429,
      expect.stringMatching(/^(This account has 2 worlds|This sandbox has 4 worlds), the most it may have; end one/),
    ]);
  }
  for (const { key, id } of made) await send('DELETE', `${worldsUrl()}/${id}`, { 'api-key': key });
});

test('a world ends by itself when nobody has used it for an hour', async () => {
  const [idle, used] = [await make(), await make()];
  const later = "update worlds set used_at = used_at - interval '59 minutes' where state = 'used'";
  await server.env.pool.query(later);
  await server.worlds?.sweep();
  for (const { made } of [idle, used]) {
    const [row] = await rows<{ n: number }>(`select count(*)::int as n from worlds where id = '${made.id}'`);
    expect(row?.n).toBe(1);
  }
  await server.env.pool.query(later);
  await used.v3('GET', '/balance');
  await server.worlds?.sweep();
  expect(await statusOf(`${idle.made.url}/v3/balance`, { 'api-key': idle.made.api_key })).toBe(404);
  await used.v3('GET', '/balance');
  const left = `select datname from pg_database where datname like '%\\_w\\_${idle.made.id}'`;
  await expect.poll(() => rows(left)).toEqual([]);
  await end(used);
});

test('a process that has not heard of a new world serves it at its address and, with its keys, at the root', async () => {
  const elsewhere = await createTestEnvironment();
  const pool = createPool(connectionOf(server.env.pool), { max: 5 });
  // It listens to another database, so it never hears of a change.
  const env = environmentOf('sandbox', pool, elsewhere.env.changes, server.clock);
  const { worlds, front } = openTestWorlds(env);
  const app = await createHttpServer(env, {
    front,
    rooms: roomsWith(taskHandlers, 'any', null, { operators: true }, worlds),
  });
  try {
    const root = await app.listen({ host: '127.0.0.1', port: 0 });
    const before = await make();
    expect(await statusOf(`${root}/v3/balance`, { 'api-key': before.made.api_key })).toBe(200);
    const world = await make();
    const { id, api_key, otp_application } = world.made;
    const authorization = `Basic ${Buffer.from(`${otp_application.key}:${otp_application.secret}`).toString('base64')}`;
    const unknown = '/api/v1/verifications/0197a000-0000-7000-8000-000000000000';
    // All at once, and in the first process too: its keys are put into its database once.
    const statuses = await Promise.all([
      statusOf(`${root}/v3/balance`, { 'api-key': api_key }),
      statusOf(`${root}${unknown}`, { authorization }),
      statusOf(`${root}/w/${id}/v3/balance`, { 'api-key': api_key }),
      statusOf(`${server.url}/v3/balance`, { 'api-key': api_key }),
    ]);
    expect(statuses).toEqual([200, 404, 200, 200]);
    expect(await statusOf(`${root}/v3/balance`, { 'api-key': `${api_key.slice(0, -4)}none` })).toBe(401);
    await Promise.all([end(before), end(world)]);
  } finally {
    await app.close();
    await worlds.stop();
    await pool.end();
    await elsewhere.close();
  }
});

test('signatures and links have the address that the client uses', async () => {
  const receiver = await startReceiver();
  const world = await make();
  const { id, url, api_key, otp_application } = world.made;
  try {
    // A signed request: the path is that of the world's URL, or of the root address.
    for (const [base, destination] of [
      [url, '4915112345678'],
      [server.url, '4915112345679'],
    ]) {
      const target = new URL(`${base}/api/v1/verifications`);
      const body = JSON.stringify({ data: { destination, delivery_method: 'sms' } });
      const signed = (path: string) => {
        const timestamp = String(Math.floor(Date.now() / 1000));
        const parts = { method: 'POST', body: Buffer.from(body), contentType: 'application/json', timestamp, path };
        const authorization = `Application ${otp_application.key}:${sign(signingKey(otp_application.secret), parts)}`;
        return { authorization, 'x-timestamp': timestamp, 'content-type': 'application/json' };
      };
      const ask = async (path: string) => (await fetch(target, { method: 'POST', headers: signed(path), body })).status;
      expect(await ask(target.pathname)).toBe(201);
      expect(await ask(`/elsewhere${target.pathname}`)).toBe(401);
    }

    // A callback is signed for the receiver's address with the world's API key, and the link in it leads into the
    // world.
    const day = (back: number) =>
      new Date(new Date(world.made.now).getTime() - back * 86_400_000).toISOString().replace('T', ' ').slice(0, 19);
    const attributes = {
      export_type: 'cdr_in',
      filters: { from: day(2), to: day(1) },
      callback_url: `${receiver.url}/done`,
      callback_method: 'post',
    };
    await world.v3('POST', '/exports', { type: 'exports', attributes });
    await expect.poll(() => receiver.received.length).toBe(1);
    const [callback] = receiver.received;
    const form = Object.fromEntries(new URLSearchParams(callback?.body ?? ''));
    expect(form.url).toMatch(new RegExp(`^${url}/v3/exports/[^/]+$`));
    expect(await statusOf(form.url ?? '', { 'api-key': api_key })).toBe(200);
    const members = Object.keys(form)
      .toSorted()
      .map((name) => `${name}${form[name]}`);
    const signature = createHmac('sha1', api_key)
      .update(`${receiver.url}/done${members.join('')}`)
      .digest('hex');
    expect(callback?.headers['x-service-signature']).toBe(signature);

    // Links of documents.
    for (const base of [url, server.url]) {
      const listed = await fetch(`${base}/v3/orders`, { headers: { 'api-key': api_key } });
      expect(await listed.text()).toContain(`${server.url}/w/${id}/v3/orders`);
    }
  } finally {
    await receiver.close();
    await end(world);
  }
});
