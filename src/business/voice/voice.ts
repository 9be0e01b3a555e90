/**
 * The voice service of one process in one environment: its lease on the calls it carries, their legs, the listeners for
 * events; and the background work of a process with the role `worker`.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment, Once } from '../../engines/environment.ts';
import type { WithListeners } from '../callbacks/listeners.ts';
import type { Disconnect } from './call.ts';
import { phraseOf } from './disconnect-codes.ts';
import { type EndedElsewhere, endCallsWithoutTrunk } from './end-elsewhere.ts';
import { delivererOf, type WithDeliverer } from './events/deliverer.ts';
import { momentOf } from './moment.ts';
import { prepareMonths } from './months.ts';
import { forgetNames, type WithNames } from './names/names-of.ts';
import { every, type Repeated } from './periodically.ts';
import type { CallEnd, CallHost, Legs } from './ports.ts';
import { forgetRiskSpending } from './risks.ts';
import { CallRecorder } from './trace/recorder.ts';
import { endCallsOf, endOverlongCalls, heartbeat, heartbeatMs, lost, Reaper } from './worker-lease.ts';

export interface Voice extends CallHost {
  /** Registers a listener for commits that wrote events in this process. Returns a function that removes it. */
  onCommittedEvents(listener: CallHost['onEvents']): () => void;
  /** Who hangs up the legs of calls that a killed process has left behind. Returns a function that removes it. */
  onForsaken(listener: Forsaken): () => void;
  /** Calls of a process that is gone have been ended: their legs are to be hung up, if anybody here can. */
  forsaken(ended: readonly EndedElsewhere[]): void;
  /** From now on this process ends the calls of others that are gone. */
  watchOthers(): void;
  /** Processes that have not shown for a moment that they live. */
  silentWorkers(): string[];
  /** The end of a call of this process that the database could not take yet. */
  unwrittenEnd(callId: string): CallEnd | null;
  /** Ends the calls of this process, and gives up its lease. */
  stop(): Promise<void>;
}

type Forsaken = (ended: readonly EndedElsewhere[]) => void;

/** One per process and environment. */
export interface WithVoice {
  readonly voice: Once<Promise<Voice>>;
}

/** What calls and the delivery of their events need. */
export type VoiceEnvironment = Environment & WithVoice & WithDeliverer & WithListeners & WithNames;

/** Created on first use. */
export function voiceOf(env: VoiceEnvironment): Promise<Voice> {
  env.voice.made ??= open(env).catch((error: unknown) => {
    env.voice.made = undefined;
    throw error;
  });
  return env.voice.made;
}

const reapMs = 1_000;

async function open(env: VoiceEnvironment): Promise<Voice> {
  const workerId = randomUUID();
  const listeners = new Set<CallHost['onEvents']>();
  const carried = new Map<string, Legs>();
  const unwrittenEnd = (callId: string) => carried.get(callId)?.ending?.() ?? null;
  const forsakenListeners = new Set<Forsaken>();
  await heartbeat(env, workerId);
  const timer = setInterval(() => {
    if (env.pool.ending) clearInterval(timer);
    else
      heartbeat(env, workerId).catch((error) =>
        env.log.warn({ err: error }, 'the lease on calls could not be renewed'),
      );
  }, heartbeatMs).unref();
  const ends = await listenForEnds(env, carried);
  const recorder = new CallRecorder(env);
  const canHangUp = () => forsakenListeners.size > 0;
  const reaper = new Reaper(env, { canHangUp, reaped: (ended) => voice.forsaken(ended) });
  let watch: Repeated | null = null;
  const voice: Voice = {
    env,
    workerId,
    recorder,
    onEvents: (accountId, stream) => {
      for (const listener of listeners) listener(accountId, stream);
    },
    onCommittedEvents: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onForsaken: (listener) => {
      forsakenListeners.add(listener);
      return () => forsakenListeners.delete(listener);
    },
    forsaken: (ended) => {
      if (ended.length === 0) return;
      for (const listener of forsakenListeners) listener(ended);
      const withLegs = ended.filter(({ dialogs }) => dialogs.length > 0).length;
      if (withLegs > 0 && forsakenListeners.size === 0)
        env.log.warn({ calls: withLegs }, 'no BYE for calls of a process that is gone: this process has no SIP');
    },
    watchOthers: () => {
      watch ??= every(env, reapMs, 'look for calls whose process is gone', async () => {
        const ended = await reaper.check();
        if (ended > 0) env.log.warn({ calls: ended }, 'ended the calls of a process that is gone');
      });
    },
    silentWorkers: () => reaper.silent(),
    carry: (callId, legs) => {
      carried.set(callId, legs);
      return () => carried.delete(callId);
    },
    unwrittenEnd,
    async stop() {
      clearInterval(timer);
      watch?.stop();
      env.voice.made = undefined;
      await endCallsOf(env, workerId, momentOf(env.clock), ({ id }) => unwrittenEnd(id));
      // Their notifications may come after this process has stopped listening.
      for (const callId of [...carried.keys()]) ends.takeDown(callId, lost);
      ends.stopListening();
      await recorder.stop();
      await env.db.deleteFrom('voice_workers').where('id', '=', workerId).execute();
      await watch?.idle();
    },
  };
  return voice;
}

/**
 * Hangs up the legs of calls that were ended elsewhere: on notifications, and after a reconnect, when notifications may
 * have been missed.
 */
async function listenForEnds(env: Environment, carried: Map<string, Legs>) {
  const takeDown = (callId: string, disconnect: Disconnect) => {
    const legs = carried.get(callId);
    carried.delete(callId);
    legs?.hangUp(disconnect);
  };
  const stopListening = env.changes.on('call_ended', (about) => {
    const space = about.indexOf(' ');
    takeDown(about.slice(0, space), JSON.parse(about.slice(space + 1)));
  });
  const forget = await env.changes.onConnected(async (client) => {
    const ids = [...carried.keys()];
    if (ids.length === 0) return;
    const { rows } = await client.query<{ id: string }>('select id from open_calls where id = any($1)', [ids]);
    const open = new Set(rows.map(({ id }) => id));
    for (const id of ids) if (!open.has(id)) takeDown(id, missedEnd);
  });
  return {
    takeDown,
    stopListening: () => {
      stopListening();
      forget();
    },
  };
}

/** Used if the notification was missed; the real reason is in the CDR. */
const missedEnd: Disconnect = { code: 487, reason: phraseOf(487), initiator: 'switch' };

export interface VoiceService {
  stop(): Promise<void>;
}

/** Events of calls in other processes are found by polling; events of this process wake the deliverer at once. */
const pollMs = 100;
/** After this many polls that found nothing, only one in `quietShare` asks the database. */
const pollsUntilQuiet = 20;
const quietShare = 5;
const sweepMs = 60_000;
const monthsMs = 3_600_000;
const lastPostsMs = 2_000;

export async function startVoice(env: VoiceEnvironment): Promise<VoiceService> {
  await prepareMonths(env);
  const voice = await voiceOf(env);
  const deliverer = delivererOf(env);
  voice.watchOthers();
  const timers = [
    every(
      env,
      pollMs,
      'look for events',
      rarerWhenQuiet(() => deliverer.startDue()),
    ),
    every(env, sweepMs, 'look for calls that must end', async () => {
      await endOverlongCalls(env);
      await endCallsWithoutTrunk(env);
    }),
    every(env, monthsMs, 'prepare the tables of the next months', async () => {
      await prepareMonths(env);
      await forgetRiskSpending(env);
      await forgetNames(env);
    }),
  ];
  const stopListening = voice.onCommittedEvents((accountId, stream) => deliverer.wake(accountId, stream));
  return {
    async stop() {
      for (const timer of timers) timer.stop();
      // Without a database calls cannot be ended; another process will end them.
      await voice.stop().catch((error) => env.log.warn({ err: error }, 'calls could not be ended'));
      stopListening();
      // Try to deliver the end events of these calls now; slow receivers get them after the next start. The timer must
      // not keep the process alive once they are delivered.
      const patience = sleep(lastPostsMs, undefined, { ref: false });
      await Promise.race([deliverer.deliverDue().catch(() => undefined), patience]);
      await Promise.all(timers.map(({ idle }) => idle()));
      await deliverer.stop();
    },
  };
}

/** Messages of calls that this process did not keep for their traces. */
export async function countDroppedMessages(env: WithVoice): Promise<number> {
  return (await env.voice.made)?.recorder.dropped ?? 0;
}

/** Stops the calls of a process without the role `worker`: the sandbox's simulator may have opened some. */
export async function stopVoice(env: WithVoice & WithDeliverer): Promise<void> {
  await env.voice.made?.then((voice) => voice.stop());
  await env.deliverer.made?.stop();
}

/** `look` returns whether it found something. */
function rarerWhenQuiet(look: () => Promise<boolean>): () => Promise<void> {
  let emptyPolls = 0;
  return async () => {
    emptyPolls += 1;
    const isQuiet = emptyPolls > pollsUntilQuiet;
    if ((!isQuiet || emptyPolls % quietShare === 0) && (await look())) emptyPolls = 0;
  };
}
