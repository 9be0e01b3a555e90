/**
 * Delivers the due events of one account's stream by HTTP: events of one call in sequence, events of different calls in
 * parallel, CDRs in batches.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { StreamName } from '../../../engines/db/tables/calls.ts';
import type { Environment } from '../../../engines/environment.ts';
import { OutboundError, type OutboundRequest } from '../../../engines/outbound/outbound-request.ts';
import { tellListeners, type WithListeners } from '../../callbacks/listeners.ts';
import { inSendingOrder, sendWithFaults } from './event-faults.ts';
import {
  closeLane,
  type DueEvent,
  dueEvents,
  failuresThatCloseALane,
  type Lane,
  laneState,
  type Outcome,
  openLane,
  postponeBlocked,
  settle,
} from './queue.ts';
import type { ReadSettings, StreamSettings } from './stream-settings.ts';

/** Maximum number of parallel requests to one receiver. */
const concurrency = 16;
const eventsAtOnce = 200;
const cdrsAtOnce = 1000;

/** Returns whether something must be retried later. Rejects, without settling anything, when `signal` aborts it. */
export async function drainLane(
  env: Environment & WithListeners,
  lane: Lane,
  readSettings: ReadSettings,
  signal: AbortSignal,
): Promise<{ waits: boolean }> {
  let state = await laneState(env, lane);
  let waits = false;
  while (state !== 'waiting') {
    const limit = state === 'probing' ? 1 : isBatched(lane.stream) ? cdrsAtOnce : eventsAtOnce;
    const batch = await dueEvents(env, lane, limit);
    if (batch.length === 0) {
      const postponed = await postponeBlocked(env, lane);
      return { waits: waits || postponed > 0 || state === 'probing' };
    }
    const settings = await readSettings(lane.accountId, lane.stream);
    const outcomes = settings === null ? batch.map(undeliverable) : await deliver(env, lane, settings, batch, signal);
    await settle(env, outcomes);
    logFailures(env, lane, outcomes);
    const later = outcomes.filter(({ delivered, hopeless }) => !delivered && !hopeless);
    waits ||= later.length > 0;
    // What was held back on purpose says nothing about the receiver.
    const failures = later.filter(({ retryAt }) => retryAt === undefined).length;
    // Close the lane if the probing event failed, or if every event of the batch failed.
    if (failures === outcomes.length && failures >= (state === 'probing' ? 1 : failuresThatCloseALane)) {
      await closeLane(env, lane);
      break;
    }
    // Nothing failed now or earlier, so no event is blocked; events that arrived since wake the lane themselves.
    if (batch.length < limit && outcomes.every(({ event, delivered }) => delivered && event.attempts === 0)) break;
    if (state === 'probing') await openLane(env, lane);
    state = 'open';
  }
  return { waits };
}

const undeliverable = (event: DueEvent): Outcome => ({
  event,
  delivered: false,
  status: null,
  error: 'no endpoint is configured',
  hopeless: true,
});

const heldBack = (event: DueEvent, retryAt: Date): Outcome => ({
  event,
  delivered: false,
  status: null,
  error: 'held back by a fault',
  retryAt,
});

async function deliver(
  env: Environment & WithListeners,
  lane: Lane,
  settings: StreamSettings,
  batch: readonly DueEvent[],
  signal: AbortSignal,
): Promise<Outcome[]> {
  const send = (events: readonly DueEvent[]) =>
    sendWithFaults(env, lane, events, () => post(env, lane, settings, events, signal));
  if (isBatched(lane.stream)) {
    const outcome = await send(batch);
    return batch.map((event) => ({ event, ...outcome }));
  }
  const calls = [...Map.groupBy(batch, ({ call_id }) => call_id).values()];
  const outcomes: Outcome[] = [];
  let inARow = 0;
  const worker = async () => {
    while (inARow < failuresThatCloseALane) {
      const events = calls.shift();
      if (events === undefined) return;
      const order = await inSendingOrder(env, lane, events);
      if ('heldUntil' in order) {
        outcomes.push(...events.map((event) => heldBack(event, order.heldUntil)));
        continue;
      }
      for (const event of order) {
        const outcome = await send([event]);
        outcomes.push({ event, ...outcome });
        inARow = outcome.delivered ? 0 : inARow + 1;
        // Later events of the same call wait for this one, unless it never comes.
        if (!outcome.delivered && !outcome.hopeless) break;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, calls.length) }, worker));
  return outcomes;
}

async function post(
  env: Environment & WithListeners,
  lane: Lane,
  settings: StreamSettings,
  events: readonly DueEvent[],
  signal: AbortSignal,
): Promise<Omit<Outcome, 'event'>> {
  try {
    const fresh = events.filter(({ attempts }) => attempts === 0).map(({ id }) => id);
    if (fresh.length > 0) await tellListeners(env, lane.accountId, { stream: lane.stream, events: fresh });
    const request = await eventRequest(
      lane.stream,
      settings,
      events.map(({ body }) => body),
    );
    const { status } = await env.outbound.request({ ...request, signal });
    const delivered = status >= 200 && status < 300;
    env.outbound.sent.count('call_event', { ok: delivered, result: status });
    return { delivered, status, error: null };
  } catch (error) {
    if (!(error instanceof OutboundError) || error.kind === 'aborted') throw error;
    env.outbound.sent.count('call_event', { ok: false, result: error.kind });
    return { delivered: false, status: null, error: `${error.kind}: ${error.message}` };
  }
}

/** Writes one log line for events that were sent together. */
function logFailures(env: Environment, lane: Lane, outcomes: readonly Outcome[]): void {
  const failed = outcomes.filter(({ delivered }) => !delivered);
  const [first] = failed;
  if (first === undefined) return;
  const reason = first.error ?? `status ${first.status}`;
  env.log.warn({ account: lane.accountId, stream: lane.stream, events: failed.length, reason }, 'call events failed');
}

const timeoutMs = 10_000;
const compress = promisify(gzip);

const isBatched = (stream: StreamName): boolean => stream === 'voice_in_cdr' || stream === 'voice_out_cdr';

/**
 * Each event is sent alone. CDRs are sent as lines in one body, always compressed, after the receiver has responded 100
 * Continue.
 */
export async function eventRequest(
  stream: StreamName,
  settings: StreamSettings,
  bodies: readonly string[],
): Promise<OutboundRequest> {
  const batched = isBatched(stream);
  const text = batched ? bodies.join('\n') : (bodies[0] ?? '');
  const compressed = batched || settings.gzip;
  return {
    url: settings.url,
    method: 'POST',
    headers: {
      ...inLowerCase(settings.headers),
      ...basicAuthorization(settings),
      'user-agent': 'CDR-streamer',
      accept: '*/*',
      'content-type': batched ? 'text/plain' : 'application/vnd.api+json',
      ...(compressed ? { 'content-encoding': 'gzip' } : {}),
    },
    body: compressed ? await compress(text) : text,
    timeoutMs,
    maxResponseBytes: 1024,
    oversize: 'cut',
    ...(batched ? { expectContinue: true } : {}),
  };
}

/** Lower-cases the customer's header names, so that our own headers replace headers of the same name. */
const inLowerCase = (headers: StreamSettings['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function basicAuthorization({ username, password }: StreamSettings): Record<string, string> {
  if (username === null) return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}` };
}
