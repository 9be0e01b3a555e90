/** The stream of events that the panel listens to. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventStream } from '../../../test/support/event-stream.ts';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { createProcesses, type Processes } from '../../../test/support/processes.ts';
import { createAccount } from '../../business/accounts/accounts.ts';
import type { Environment } from '../../engines/environment.ts';
import { taskHandlers } from '../../run/boot/tasks.ts';
import { byBootstrap } from '../operator/act.ts';
import { createOperator } from '../operator/operators.writes.ts';
import { createHttpServer } from '../server/http-server.ts';
import { operatorRooms, roomsWith } from '../server/rooms.ts';
import { streamLimits } from './event-hub.ts';
import { watch } from './event-store.ts';

const operator = { email: 'op@trunkline.test', password: 'an operator password' };
const other = { email: 'other@acme.test', password: 'another long password' };

/**
 * Tests beside this one write much to the same database server, and its commits with notifications wait for each other.
 */
const patience = { timeout: 120_000 };

let processes: Processes;
const envs: Environment[] = [];
const apps: FastifyInstance[] = [];
const urls: string[] = [];
let accountId: string;
let otherId: string;

beforeAll(async () => {
  processes = await createProcesses();
  for (let n = 0; n < 2; n += 1) {
    const env = await processes.start();
    const app = await createHttpServer(env, { rooms: [...roomsWith(taskHandlers, 'any'), ...operatorRooms] });
    await app.listen({ host: '127.0.0.1', port: 0 });
    envs.push(env);
    apps.push(app);
    urls.push(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
  }
  accountId = (await createAccount(first(envs), { name: 'Acme', ...login })).id;
  otherId = (await createAccount(first(envs), { name: 'Other', ...other })).id;
  await createOperator(byBootstrap(first(envs)), { ...operator, role: 'owner' });
});

afterAll(async () => {
  for (const app of apps) await app.close();
  await processes.close();
});

function first<T>(list: readonly T[]): T {
  const [one] = list;
  if (one === undefined) throw new Error('nothing was started');
  return one;
}

async function signedIn(url: string, credentials = login): Promise<PanelClient> {
  const client = new PanelClient(url);
  expect((await client.signIn(credentials)).status).toBe(201);
  return client;
}

/** What a message that arrives in the inbox is in the database, written by the second process. */
async function message(account: string): Promise<void> {
  await envs[1]?.pool.query(
    `insert into sandbox_messages (verification_id, account_id, destination, delivery_method, language, text, code, created_at)
     values (gen_random_uuid(), $1, '447700900001', 'sms', 'en', 'x', '1', $2)`,
    [account, new Date()],
  );
}

describe('a stream of events', () => {
  it('tells of what another process has changed, and nothing of another account', async () => {
    const client = await signedIn(first(urls));
    const stream = await EventStream.open(first(urls), client.cookie);
    expect(stream.response.headers.get('content-type')).toContain('text/event-stream');
    expect(stream.response.headers.get('x-content-type-options')).toBe('nosniff');
    await stream.opened();
    expect(stream.events[0]?.event).toBe('refresh');
    await message(otherId);
    await message(accountId);
    await expect.poll(stream.changes, patience).toEqual(['messages']);
    stream.cut();
  });

  it('goes on in another process where it was cut, without a gap', async () => {
    const client = await signedIn(first(urls));
    const stream = await EventStream.open(first(urls), client.cookie);
    await stream.opened();
    await message(accountId);
    await expect.poll(stream.changes, patience).toEqual(['messages']);
    stream.cut();
    await message(accountId);
    await message(accountId);
    const second = await EventStream.open(urls[1] ?? '', client.cookie, { 'last-event-id': stream.lastId });
    // The first may come again: an event is a hint, and hints may repeat.
    await expect.poll(() => second.changes().length, patience).toBeGreaterThanOrEqual(2);
    expect(second.events.every(({ event }) => event === 'change')).toBe(true);
    second.cut();
  });

  it('begins where the session said, so that a page reads nothing twice and misses nothing', async () => {
    const newcomer = { email: 'new@acme.test', password: 'yet another password' };
    const { id } = await createAccount(first(envs), { name: 'New', ...newcomer });
    const answer = await new PanelClient(first(urls)).signIn(newcomer);
    const after = String(JSON.parse(answer.text).events_after);
    await message(id);
    const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const stream = await EventStream.open(urls[1] ?? '', cookie, { 'last-event-id': after });
    await expect.poll(stream.changes, patience).toEqual(['messages']);
    expect(stream.events.every(({ event }) => event === 'change')).toBe(true);
    stream.cut();
  });

  it('asks a client to read anew that comes back with an id from before anything was kept', async () => {
    const client = await signedIn(first(urls));
    const stream = await EventStream.open(first(urls), client.cookie, { 'last-event-id': '3' });
    await stream.opened();
    expect(stream.events[0]?.event).toBe('refresh');
    stream.cut();
  });

  it('has no event that a transaction wrote and took back, and has the one of a transaction that was slow', async () => {
    const client = await signedIn(first(urls));
    const stream = await EventStream.open(first(urls), client.cookie);
    await stream.opened();
    const slow = await first(envs).pool.connect();
    try {
      await slow.query('begin');
      await slow.query(
        `insert into sandbox_messages (verification_id, account_id, destination, delivery_method, language, text, code, created_at)
         values (gen_random_uuid(), $1, '447700900002', 'sms', 'en', 'x', '1', $2)`,
        [accountId, new Date()],
      );
      await message(accountId);
      await expect.poll(stream.changes, patience).toEqual(['messages']);
      stream.cut();
      await slow.query('commit');
    } finally {
      slow.release();
    }
    // The slow one has an older number than what was already delivered; it is not lost.
    const second = await EventStream.open(first(urls), client.cookie, { 'last-event-id': stream.lastId });
    await expect.poll(() => second.changes().length, patience).toBeGreaterThanOrEqual(1);
    second.cut();
  });

  it('begins when transactions have ended that did not know of it', async () => {
    const { id } = await createAccount(first(envs), { name: 'Unwatched' });
    const slow = await first(envs).pool.connect();
    let isWatched = false;
    try {
      await slow.query('begin');
      await slow.query('select pg_current_xact_id()');
      const watched = watch(first(envs), id).then(() => {
        isWatched = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(isWatched).toBe(false);
      await slow.query('commit');
      await watched;
    } finally {
      slow.release();
    }
  });

  it('ends when its session is ended, in whichever process', async () => {
    const client = await signedIn(first(urls));
    const stream = await EventStream.open(first(urls), client.cookie);
    await stream.opened();
    const elsewhere = new PanelClient(urls[1] ?? '');
    elsewhere.cookie = client.cookie;
    await elsewhere.delete('/panel/v1/session');
    await expect.poll(() => stream.isEnded, patience).toBe(true);
    expect((await EventStream.open(first(urls), client.cookie)).response.status).toBe(401);
  });

  it('is refused without a session, from elsewhere, and beyond the limit of a session', async () => {
    expect((await EventStream.open(first(urls), '')).response.status).toBe(401);
    const client = await signedIn(first(urls));
    const foreign = { 'sec-fetch-site': 'cross-site' };
    expect((await EventStream.open(first(urls), client.cookie, foreign)).response.status).toBe(401);
    const open = await Promise.all(
      Array.from({ length: streamLimits.perSession }, () => EventStream.open(first(urls), client.cookie)),
    );
    expect((await EventStream.open(first(urls), client.cookie)).response.status).toBe(429);
    for (const stream of open) stream.cut();
    await expect
      .poll(async () => {
        const again = await EventStream.open(first(urls), client.cookie);
        again.cut();
        return again.response.status;
      })
      .toBe(200);
  });
});

describe('an operator', () => {
  it('hears of every account, and of one while acting as it', async () => {
    const client = await signedIn(first(urls), operator);
    const stream = await EventStream.open(first(urls), client.cookie);
    await stream.opened();
    await message(otherId);
    await message(accountId);
    await expect.poll(() => stream.changes().filter((topic) => topic === 'messages'), patience).toHaveLength(2);
    expect(stream.events.map(({ data }) => data.account_id)).toEqual(expect.arrayContaining([otherId, accountId]));
    await client.post('/panel/v1/acting', { account_id: otherId, reason: 'Ticket 9' });
    await expect.poll(() => stream.isEnded, patience).toBe(true);
    const acting = await EventStream.open(first(urls), client.cookie);
    await acting.opened();
    await message(accountId);
    await message(otherId);
    await expect.poll(acting.changes, patience).toEqual(['messages']);
    acting.cut();
  });
});

it('nothing is written while nobody looks, and streams end when the server stops', async () => {
  const client = await signedIn(first(urls));
  const stream = await EventStream.open(first(urls), client.cookie);
  await stream.opened();
  first(apps).server.emit('stopping');
  await expect.poll(() => stream.isEnded, patience).toBe(true);
  await envs[1]?.pool.query('delete from panel_watchers');
  await envs[1]?.pool.query('delete from panel_events');
  await message(accountId);
  const { rows } = (await envs[1]?.pool.query('select 1 from panel_events')) ?? { rows: ['missing'] };
  expect(rows).toEqual([]);
});
