/**
 * Processes with the role `voice` alone on one database, and one with jobs and without SIP: one that carries calls is
 * killed or told to stop, with a real Kamailio in front and without one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { SipEndpoint } from '../../src/business/b2bua/endpoint.ts';
import { connectionOf } from '../../src/engines/db/pool.ts';
import { type Edge, startEdge, startRtpengine } from '../support/edge.ts';
import { createTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { answer, openPeer, placeCall } from '../support/sip-peers.ts';
import { createTelephony, type Telephony } from '../support/telephony.ts';
import { startTrunkline, type Trunkline } from '../support/trunkline.ts';

interface Worker {
  process: Trunkline;
  /** In `voice_workers`. */
  id: string;
  url: string;
  port: number;
}

let folder: string;
let house: TestEnvironment;
let telephony: Telephony;
let caller: SipEndpoint;
let called: SipEndpoint;
const started: Trunkline[] = [];
const edges: Edge[] = [];
/** What both peers received: Call-ID, first line, CSeq. */
const received: { callId: string; line: string; cseq: string }[] = [];
/** The Call-ID of the called leg by the number of the call. */
const calledLegs = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-loss-'));
  house = await createTestEnvironment({ at: new Date().toISOString() });
  telephony = await createTelephony(house.env);
  [caller, called] = [await openPeer(house.env), await openPeer(house.env)];
  for (const { taps } of [caller, called]) {
    taps.add({
      message: ({ direction, callId, bytes }) => {
        const text = bytes.toString('latin1');
        const cseq = /^CSeq: *(.*)$/im.exec(text)?.[1] ?? '';
        if (direction === 'in') received.push({ callId, line: text.split('\r\n', 1)[0] ?? '', cseq });
      },
    });
  }
  called.takeCalls({
    call: (call) => {
      const { request } = call.transaction;
      calledLegs.set(/^sip:\+?(\d+)/.exec(request.uri)?.[1] ?? '', request.callId);
      answer(call, 40_000);
    },
    request: (transaction) => transaction.reply(405),
  });
  await start({ TRUNKLINE_ROLES: 'api,worker', TRUNKLINE_SANDBOX_SIP_PORT: 'off' });
});
afterAll(async () => {
  for (const edge of edges) await edge.stop();
  for (const process of started) await process.stop('SIGKILL');
  for (const endpoint of [caller, called]) await endpoint?.stop();
  await house?.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(variables: Record<string, string>) {
  const process = startTrunkline(await mkdtemp(path.join(folder, 'process-')), {
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_SIP_CHECK_SECONDS: '0',
    TRUNKLINE_LOG_LEVEL: 'info',
    TRUNKLINE_MEDIA: 'direct',
    SANDBOX_DATABASE_URL: connectionOf(house.env.pool),
    TRUNKLINE_SERVER_KEY: house.env.serverKey.reveal(),
    ...variables,
  });
  started.push(process);
  const { sandbox } = (await process.ready()).environments;
  return { process, url: sandbox?.url ?? '', port: sandbox?.sip?.udp ?? 0 };
}

/** Who is not behind an edge believes no header about sources. */
const behindEdge = { TRUNKLINE_SIP_EDGES: '127.0.0.1' };

async function startWorker(variables: Record<string, string> = behindEdge): Promise<Worker> {
  const ids = async () => (await rowsOf<{ id: string }>('select id from voice_workers')).map(({ id }) => id);
  const before = await ids();
  const worker = await start({ TRUNKLINE_ROLES: 'voice', TRUNKLINE_SANDBOX_SIP_PORT: '0', ...variables });
  const [id = ''] = (await ids()).filter((one) => !before.includes(one));
  return { ...worker, id };
}

async function edgeBefore(workers: readonly Worker[]): Promise<number> {
  const edge = await startEdge({ workers: workers.map(({ port }) => `127.0.0.1:${port}`), requestsPerSource: 10_000 });
  edges.push(edge);
  return edge.port;
}

/** A call that is up, to a number of its own with one channel. */
async function callThrough(port: number) {
  const accountId = await telephony.account();
  const trunkId = await telephony.trunk(accountId, {}, { host: '127.0.0.1', port: called.ports.udp });
  const { number } = await telephony.did(accountId, { voice_in_trunk_id: trunkId, channels_included_count: 1 });
  const { session } = await placeCall(caller, port, number);
  const { callId } = session.dialog;
  const [row] = await rowsOf<{ id: string; worker_id: string }>(
    `select id, worker_id from open_calls where call->>'didNumber' = $1`,
    [number],
  );
  if (row === undefined) throw new Error('nobody carries the call');
  // Its process is seen to live after the answer, so that the two can be told apart.
  const beat = (await seenAt(row.worker_id)) ?? 0;
  await until(async () => ((await seenAt(row.worker_id)) ?? 0) > beat);
  return { session, number, workerId: row.worker_id, id: row.id, callId, calledLeg: calledLegs.get(number) ?? '' };
}

const rowsOf = async <T extends object>(text: string, values: unknown[] = []): Promise<T[]> =>
  (await house.env.pool.query<T>(text, values)).rows;
const isUp = async (id: string) => (await rowsOf('select from open_calls where id = $1', [id])).length === 1;
const cdrsOf = (id: string) => rowsOf('select * from cdrs_in where call_id = $1', [id]);
const byes = (leg: string) => received.filter(({ callId, line }) => callId === leg && line.startsWith('BYE ')).length;
const seenAt = async (id: string) =>
  (await rowsOf<{ seen_at: Date }>('select seen_at from voice_workers where id = $1', [id]))[0]?.seen_at;

async function until(isTrue: () => Promise<boolean> | boolean): Promise<void> {
  await expect.poll(isTrue).toBe(true);
}

test.each([true, false])(
  'a worker is killed, with an edge: %s; another one says BYE to both sides, and closes the ports of media',
  async (hasEdge) => {
    const rtpengine = await startRtpengine();
    onTestFinished(() => rtpengine.stop());
    const media = { TRUNKLINE_MEDIA: `rtpengine:127.0.0.1:${rtpengine.port}` };
    const doomed = await startWorker(hasEdge ? { ...behindEdge, ...media } : media);
    const others = [await startWorker({ ...behindEdge, ...media }), await startWorker({ ...behindEdge, ...media })];
    const call = await callThrough(hasEdge ? await edgeBefore([doomed]) : doomed.port);
    expect(call.workerId).toBe(doomed.id);
    expect(await rtpengine.calls()).toBe(1);
    await doomed.process.stop('SIGKILL');
    const lastSeen = await seenAt(doomed.id);
    await until(() => byes(call.callId) > 0 && byes(call.calledLeg) > 0);
    expect(await isUp(call.id)).toBe(false);
    expect(await cdrsOf(call.id)).toMatchObject([
      { disconnect_code: 500, disconnect_initiator: 'Switch', time_end: lastSeen, success: true },
    ]);
    // Its lease goes after its last call, so nobody will look at it again.
    await until(async () => (await seenAt(doomed.id)) === undefined);
    const told = () => others.filter(({ process }) => process.stdout().includes('hung up the legs'));
    await until(() => told().length === 1);
    expect(told()[0]?.process.stdout()).toContain('"legs":{"hung up":2}');
    expect([byes(call.callId), byes(call.calledLeg)]).toEqual([1, 1]);
    await expect.poll(() => rtpengine.calls()).toBe(0);
    for (const { process } of others) await process.stop('SIGKILL');
  },
);

test('through the edge a BYE for a worker that is dead is answered, and the other side is told', async () => {
  const workers = [await startWorker(), await startWorker()];
  const port = await edgeBefore(workers);
  const call = await callThrough(port);
  const doomed = workers.find(({ id }) => id === call.workerId);
  await doomed?.process.stop('SIGKILL');
  const lastSeen = await seenAt(call.workerId);
  call.session.hangUp();
  const answers = () => received.filter(({ callId, cseq }) => callId === call.callId && cseq.endsWith(' BYE'));
  await until(() => answers().length > 0 && byes(call.calledLeg) > 0);
  expect(answers().map(({ line }) => line)).toEqual(['SIP/2.0 200 OK']);
  // Not the end of all calls of a lost process: that one has code 500.
  expect(await cdrsOf(call.id)).toMatchObject([
    { disconnect_code: 200, disconnect_initiator: 'Origination', time_end: lastSeen, success: true },
  ]);
  expect(byes(call.calledLeg)).toBe(1);
  for (const { process } of workers) await process.stop('SIGKILL');
});

test('a worker that drains keeps its call, gets no new ones, and leaves when it has ended', async () => {
  const workers = [await startWorker({ ...behindEdge, TRUNKLINE_DRAIN_SECONDS: '600' }), await startWorker()];
  const port = await edgeBefore(workers);
  const [draining, staying] = workers;
  let call = await callThrough(port);
  while (call.workerId !== draining?.id) {
    call.session.hangUp();
    call = await callThrough(port);
  }
  const stopped = draining.process.stop('SIGTERM');
  const state = async () => {
    const response = await fetch(`${draining.url}/readyz`);
    return { code: response.status, ...((await response.json()) as object) };
  };
  await expect.poll(state).toEqual({ code: 503, status: 'draining', database: 'ok', calls: 1 });
  expect((await fetch(`${draining.url}/healthz`)).status).toBe(200);
  // Without the edge a caller is told to go elsewhere; the edge goes there itself.
  await expect(placeCall(caller, draining.port, call.number)).rejects.toThrow('503');
  const later = [await callThrough(port), await callThrough(port), await callThrough(port)];
  expect(later.map(({ workerId }) => workerId)).toEqual(later.map(() => staying?.id));
  expect([await isUp(call.id), byes(call.callId), byes(call.calledLeg)]).toEqual([true, 0, 0]);
  expect(draining.process.child.exitCode).toBeNull();
  for (const { session } of [call, ...later]) session.hangUp();
  expect(await stopped).toBe(0);
  expect(await cdrsOf(call.id)).toMatchObject([{ disconnect_code: 200, disconnect_initiator: 'Origination' }]);
  await staying?.process.stop('SIGKILL');
});

test.each(['its limit', 'a second signal'])('draining ends with %s: both sides get BYE', async (what) => {
  const limit = what === 'its limit' ? '1' : '600';
  const worker = await startWorker({ TRUNKLINE_DRAIN_SECONDS: limit });
  const call = await callThrough(worker.port);
  const stopped = worker.process.stop('SIGTERM');
  if (what === 'a second signal') {
    // A signal within a second counts as the same one, so it is repeated until the process has taken it.
    await until(() => {
      worker.process.child.kill('SIGTERM');
      return worker.process.stdout().includes('calls that are still up are ended');
    });
  }
  expect(await stopped).toBe(0);
  expect([byes(call.callId), byes(call.calledLeg)]).toEqual([1, 1]);
  expect(await cdrsOf(call.id)).toMatchObject([{ disconnect_code: 503, disconnect_initiator: 'Switch' }]);
});
