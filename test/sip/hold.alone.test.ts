/**
 * Two voice processes on one database behind a real Kamailio, with calls that are up: one process is killed, then the
 * database is away for ten seconds. Every call ends once, no channel stays taken, and new calls find their way.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SipEndpoint } from '../../src/business/b2bua/endpoint.ts';
import { connectionOf } from '../../src/engines/db/pool.ts';
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts';
import { type Edge, startEdge } from '../support/edge.ts';
import { createTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { answer, openPeer, type Placed, placeCall } from '../support/sip-peers.ts';
import { createTelephony } from '../support/telephony.ts';
import { startTrunkline, type Trunkline } from '../support/trunkline.ts';

const callCount = 50;
const awayMs = 10_000;

let folder: string;
let house: TestEnvironment;
let receiver: Receiver;
let proxy: DatabaseProxy;
let edge: Edge;
let caller: SipEndpoint;
let called: SipEndpoint;
let number: string;
const workers: { process: Trunkline; port: number }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-hold-'));
  house = await createTestEnvironment({ at: new Date().toISOString() });
  receiver = await startReceiver();
  proxy = await openDatabaseProxy(connectionOf(house.env.pool));
  caller = await openPeer(house.env);
  called = await openPeer(house.env);
  called.takeCalls({ call: (call) => answer(call, 40_000), request: (transaction) => transaction.reply(405) });
  const telephony = await createTelephony(house.env);
  const accountId = await telephony.account({ callEvents: { url: receiver.url, gzip: false } });
  const trunkId = await telephony.trunk(accountId, {}, { host: '127.0.0.1', port: called.ports.udp });
  number = (await telephony.did(accountId, { voice_in_trunk_id: trunkId, channels_included_count: 1_000 })).number;
  for (const name of ['one', 'two']) workers.push(await startWorker(name));
  edge = await startEdge({ workers: workers.map(({ port }) => `127.0.0.1:${port}`), requestsPerSource: 10_000 });
});

afterAll(async () => {
  await edge?.stop();
  for (const { process } of workers) await process.stop('SIGKILL');
  for (const endpoint of [caller, called]) await endpoint?.stop();
  proxy?.close();
  await receiver?.close();
  await house?.close();
  await rm(folder, { recursive: true, force: true });
});

async function startWorker(name: string): Promise<{ process: Trunkline; port: number }> {
  const place = await mkdtemp(path.join(folder, `${name}-`));
  const process = startTrunkline(place, {
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_ROLES: 'worker,voice',
    TRUNKLINE_SANDBOX_SIP_PORT: '0',
    TRUNKLINE_SIP_EDGES: '127.0.0.1',
    TRUNKLINE_LOG_LEVEL: 'warn',
    SANDBOX_DATABASE_URL: proxy.url,
    TRUNKLINE_SERVER_KEY: house.env.serverKey.reveal(),
  });
  return { process, port: (await process.ready()).environments.sandbox?.sip?.udp ?? 0 };
}

/** Ten at a time: fifty at once would make a process on a busy machine look dead to the edge. */
async function placeMany(count: number): Promise<Placed[]> {
  const placed: Placed[] = [];
  while (placed.length < count) {
    const some = Array.from({ length: Math.min(10, count - placed.length) }, () =>
      placeCall(caller, edge.port, number),
    );
    placed.push(...(await Promise.all(some)));
  }
  return placed;
}

const countOf = async (text: string): Promise<number> =>
  (await house.env.pool.query<{ n: number }>(`select count(*)::int as n from ${text}`)).rows[0]?.n ?? 0;

/**
 * A worker that is slow to answer the edge is one of two that take the call: the edge has given it to the other as
 * well, and takes its word back from the slower one. That is a call of its own, which nobody has answered.
 */
const answered = 'cdrs_in where time_connect is not null';
const others = 'cdrs_in where time_connect is null and disconnect_code <> 487';

/** The times that events of this type came for each call. */
function ends(): number[] {
  const events = receiver.received.map(({ body }): { type: string; id: string } => JSON.parse(body));
  const byCall = Map.groupBy(events, ({ id }) => id);
  return [...byCall.values()].map((all) => all.filter(({ type }) => type === 'incoming-call-end-event').length);
}

const patience = { timeout: 60_000, interval: 200 };

test('kill -9 of one of two: each of its calls ends once, no channel is kept, and new calls go to the other', async () => {
  const placed = await placeMany(callCount);
  expect(await countOf('open_calls')).toBe(callCount);
  expect(await countOf('(select distinct worker_id from open_calls) w')).toBe(2);
  // Traces of real calls have the messages of both legs.
  const hasBothLegs = `call_traces t where (select count(distinct e->>'leg') from call_trace_parts p,
    jsonb_array_elements(p.entries) e where p.call_id = t.call_id and e->>'kind' = 'message') = 2`;
  await expect.poll(() => countOf(hasBothLegs), patience).toBeGreaterThan(0);
  await workers[0]?.process.stop('SIGKILL');
  const later = await placeMany(10);
  await expect.poll(() => countOf('(select distinct worker_id from open_calls) w'), patience).toBe(1);
  for (const { session } of [...placed, ...later]) session.hangUp();
  await expect.poll(() => countOf('open_calls'), patience).toBe(0);
  expect([await countOf(answered), await countOf(others)]).toEqual([callCount + 10, 0]);
  expect(await countOf(`(select distinct call_id from ${answered}) c`)).toBe(callCount + 10);
  expect(await countOf('cdrs_in where disconnect_code = 500')).toBeGreaterThan(0);
  await expect.poll(() => ends().length, patience).toBeGreaterThanOrEqual(callCount + 10);
  await expect.poll(() => ends().every((count) => count === 1), patience).toBe(true);
});

test('without a database for ten seconds calls stay, new ones are 503, and every end is written afterwards', async () => {
  const before = await countOf(answered);
  const placed = await placeMany(callCount);
  proxy.cut();
  const back = sleep(awayMs);
  await expect(placeCall(caller, edge.port, number)).rejects.toThrow('503');
  const half = placed.slice(0, callCount / 2);
  for (const { session } of half) session.hangUp();
  await back;
  proxy.restore();
  await expect.poll(() => countOf('open_calls'), patience).toBe(callCount / 2);
  expect(await countOf(answered)).toBe(before + callCount / 2);
  for (const { session } of placed.slice(callCount / 2)) session.hangUp();
  await expect.poll(() => countOf('open_calls'), patience).toBe(0);
  expect(await countOf(answered)).toBe(before + callCount);
  expect(await countOf(`cdrs_in where disconnect_code = 500`)).toBeLessThan(callCount);
  await expect.poll(() => ends().every((count) => count === 1), patience).toBe(true);
});
