/**
 * The voice service of one process in one environment: its lease on the calls it carries, their legs, and the listeners
 * for events.
 */
import { randomUUID } from 'node:crypto';
import type { Environment } from '../environment.ts';
import type { Disconnect } from './call.ts';
import type { CallHost, Legs } from './call-host.ts';
import { momentOf } from './moment.ts';
import { phraseOf } from './reasons.ts';
import { endCallsOf, heartbeat, heartbeatMs } from './worker-lease.ts';

export interface Voice extends CallHost {
  /** Registers a listener for commits that wrote events in this process. Returns a function that removes it. */
  onCommittedEvents(listener: (accountId: string) => void): () => void;
  /** Ends the calls of this process, and gives up its lease. */
  stop(): Promise<void>;
}

const opened = new WeakMap<Environment, Promise<Voice>>();

/** One per process and environment, created on first use. */
export function voiceOf(env: Environment): Promise<Voice> {
  const known = opened.get(env) ?? open(env);
  opened.set(env, known);
  known.catch(() => opened.delete(env));
  return known;
}

/** The one that `voiceOf` has made, if anything has needed it. */
export function openedVoice(env: Environment): Promise<Voice> | undefined {
  return opened.get(env);
}

async function open(env: Environment): Promise<Voice> {
  const workerId = randomUUID();
  const listeners = new Set<(accountId: string) => void>();
  const carried = new Map<string, Legs>();
  await heartbeat(env, workerId);
  const timer = setInterval(() => {
    if (env.pool.ending) clearInterval(timer);
    else
      heartbeat(env, workerId).catch((error) =>
        env.log.warn({ err: error }, 'the lease on calls could not be renewed'),
      );
  }, heartbeatMs).unref();
  const stopListening = await listenForEnds(env, carried);
  return {
    env,
    workerId,
    onEvents: (accountId) => {
      for (const listener of listeners) listener(accountId);
    },
    onCommittedEvents: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    carry: (callId, legs) => {
      carried.set(callId, legs);
      return () => carried.delete(callId);
    },
    async stop() {
      clearInterval(timer);
      opened.delete(env);
      await endCallsOf(env, workerId, momentOf(env.clock));
      stopListening();
      await env.db.deleteFrom('voice_workers').where('id', '=', workerId).execute();
    },
  };
}

/**
 * Hangs up the legs of calls that were ended elsewhere: on notifications, and after a reconnect, when notifications may
 * have been missed.
 */
async function listenForEnds(env: Environment, carried: Map<string, Legs>): Promise<() => void> {
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
  return () => {
    stopListening();
    forget();
  };
}

/** Used if the notification was missed; the real reason is in the CDR. */
const missedEnd: Disconnect = { code: 487, reason: phraseOf(487), initiator: 'switch' };
