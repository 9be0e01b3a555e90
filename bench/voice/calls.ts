/** Calls a second through decision, state, CDR and three events, next to the same SQL and posts without the engine. */
import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { answered, ended, justArrived, newCallId, routed, storedCall } from '../../src/business/voice/call.ts';
import { hangUp } from '../../src/business/voice/disconnect-codes.ts';
import { endStatements } from '../../src/business/voice/end-call.ts';
import { arrive } from '../../src/business/voice/inbound/arrive.ts';
import { attemptAt } from '../../src/business/voice/inbound/attempt.ts';
import type { InboundCall } from '../../src/business/voice/inbound/call.ts';
import { chargesOf, inboundCdrs } from '../../src/business/voice/inbound/cdr.ts';
import { inbound } from '../../src/business/voice/inbound/direction.ts';
import { routeStatement } from '../../src/business/voice/inbound/route.ts';
import { openingOf, openStatement } from '../../src/business/voice/open-call.ts';
import { startVoice, voiceOf } from '../../src/business/voice/voice.ts';
import { answeredStatement } from '../../src/business/voice/write-answer.ts';
import { compareRates } from '../load.ts';
import type { Row } from '../row.ts';
import { now, percentile, type Seen, until, type VoiceWorld } from './world.ts';

const callCount = 1500;
const callers = 16;
const customers = 8;

export async function callRows(world: VoiceWorld): Promise<Row[]> {
  const numbers: string[] = [];
  for (let n = 0; n < customers; n += 1) {
    const accountId = await world.telephony.account({ callEvents: { url: `${world.receiver}/events`, gzip: false } });
    const voice_in_trunk_id = await world.telephony.trunk(accountId);
    for (let d = 0; d < 10; d += 1) {
      numbers.push((await world.telephony.did(accountId, { voice_in_trunk_id, channels_included_count: 100 })).number);
    }
  }
  const latencies: number[] = [];
  const events: number[] = [];
  const rates = await compareRates(
    3,
    async () => {
      const run = await throughEngine(world, numbers);
      latencies.push(...run.latencies);
      events.push(run.eventsPerSecond);
      return run.callsPerSecond;
    },
    () => byHand(world, numbers),
  );
  const latency = `p50 ${percentile(latencies, 0.5).toFixed(1)} ms, p99 ${percentile(latencies, 0.99).toFixed(1)} ms`;
  return [
    {
      measure: `calls a second with three events each, ${callers} at once: Trunkline / the same SQL and posts by hand`,
      ratio: rates.ratio,
      required: { atLeast: 0.5 },
      note: `${rates.left.toFixed(0)}/s and ${rates.right.toFixed(0)}/s; ${percentile(events, 0.5).toFixed(0)} events/s, from state change to event received ${latency}; none lost, all in order`,
    },
  ];
}

async function throughEngine(world: VoiceWorld, numbers: readonly string[]) {
  const { env } = world;
  await world.forget();
  const service = await startVoice(env);
  const voice = await voiceOf(env);
  const changed = new Map<string, number>();
  let next = 0;
  const started = now();
  const caller = async () => {
    while (next < callCount) {
      const didNumber = numbers[next++ % numbers.length] ?? '';
      const arrived = await arrive(voice, { didNumber, srcNumber: '15550100' });
      if (arrived.refusal !== null) throw new Error(`refused: ${arrived.refusal.reason}`);
      const { live } = arrived;
      changed.set(`${live.call.id} incoming-call-start-event`, now());
      await live.answered(env.clock.now());
      changed.set(`${live.call.id} incoming-call-connect-event`, now());
      await live.end(hangUp, env.clock.now());
      changed.set(`${live.call.id} incoming-call-end-event`, now());
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  await until(async () => (await world.seen()).length >= callCount * 3);
  const seen = await world.seen();
  await service.stop();
  checkOrder(seen, callCount);
  const seconds = (Math.max(...seen.map(({ at }) => at)) - started) / 1000;
  return {
    callsPerSecond: callCount / seconds,
    eventsPerSecond: seen.length / seconds,
    // The receiver may have it before our own statement has come back.
    latencies: seen.map(({ id, type, at }) => Math.max(0, at - (changed.get(`${id} ${type}`) ?? at))),
  };
}

/** Every call has told its three events, once, in order. */
function checkOrder(seen: readonly Seen[], calls: number): void {
  const byCall = Map.groupBy(seen, ({ id }) => id);
  const wanted = 'incoming-call-start-event,incoming-call-connect-event,incoming-call-end-event';
  for (const [id, events] of byCall) {
    const told = [...new Set(events.map(({ type }) => type))].join();
    if (told !== wanted) throw new Error(`call ${id} told ${told}`);
  }
  if (byCall.size !== calls) throw new Error(`${byCall.size} of ${calls} calls told their events`);
}

/** The same statements in the same transactions, the same bodies to the same receiver, and nothing in between. */
async function byHand(world: VoiceWorld, numbers: readonly string[]): Promise<number> {
  const { env } = world;
  await world.forget();
  const pool = new Pool(world.receiver, { connections: 32 });
  const workerId = randomUUID();
  await env.pool.query('insert into voice_workers (id, seen_at) values ($1, $2)', [workerId, env.clock.now()]);
  const post = async (event: object) => {
    const headers = { 'content-type': 'application/vnd.api+json', 'user-agent': 'CDR-streamer' };
    const { body } = await pool.request({ path: '/events', method: 'POST', headers, body: JSON.stringify(event) });
    await body.text();
  };
  let next = 0;
  const started = performance.now();
  const caller = async () => {
    while (next < callCount) await callByHand(env, workerId, numbers[next++ % numbers.length] ?? '', post);
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  await env.pool.query('delete from voice_workers where id = $1', [workerId]);
  await env.pool.query('truncate call_events');
  return callCount / seconds;
}

async function callByHand(
  env: VoiceWorld['env'],
  workerId: string,
  number: string,
  post: (event: object) => Promise<void>,
) {
  const at = env.clock.now();
  const streams = ['voice_in_events'];
  const { rows } = await env.pool.query({ name: 'hand_route', text: routeStatement, values: [[number], ['15550100']] });
  const [route] = rows;
  const arrived = arrivedCall(number, at, route);
  const call = routed(arrived, attemptAt(route.trunks[0], arrived, at));
  const counted = { did: route.didId, capacityGroup: null, trunkGroup: null, trunks: [] };
  const within = { number: null, channel: route.included, trunkGroup: null, trunk: null };
  const opening = openingOf({ env, workerId }, inbound, { ...call, channel: 'included' }, streams, counted, within);
  await env.pool.query({ name: 'hand_open', text: openStatement, values: [JSON.stringify([opening])] });
  await post(inbound.event('start', call));
  const up = answered(call, at);
  const connect = inbound.event('connect', up);
  const answer = {
    ...{ id: up.id, call: storedCall(up, streams), account_id: up.accountId, stream: 'voice_in_events' },
    ...{ event: JSON.stringify(connect), at },
  };
  await env.pool.query({ name: 'hand_answered', text: answeredStatement, values: [JSON.stringify([answer])] });
  await post(connect);
  const over = ended(up, hangUp, at);
  const cdrs = inboundCdrs(over, chargesOf(over)).map(({ row }) => row);
  const end = inbound.event('end', over);
  const told = [{ stream: 'voice_in_events', body: JSON.stringify(end) }];
  const written = { id: over.id, cdrs, events: told, account_id: over.accountId, at, disconnect: null, version: null };
  await env.pool.query({ name: 'hand_end', text: endStatements.cdrs_in, values: [JSON.stringify([written])] });
  await post(end);
}

function arrivedCall(
  didNumber: string,
  timeStart: Date,
  route: { accountId: string; didId: string; vatRate: string },
): InboundCall {
  return {
    ...justArrived,
    id: newCallId(),
    direction: 'in',
    source: null,
    carrier: null,
    accountId: route.accountId,
    didId: route.didId,
    didNumber,
    country: 'ZZ',
    srcNumber: '15550100',
    srcName: null,
    callerCallId: null,
    userAgent: null,
    timeStart,
    channel: 'included',
    sharedCapacityGroupId: null,
    capacityGroupName: null,
    trunkGroupId: null,
    trunkGroupName: null,
    meteredRate: null,
    tollFreeRate: null,
    vatRate: route.vatRate,
  };
}
