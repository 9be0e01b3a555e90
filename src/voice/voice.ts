/** The voice room of one process in one environment: its lease on the calls it carries, their legs, and who hears of events. */
import { randomUUID } from 'node:crypto';
import type { Environment } from '../environment.ts';
import type { Disconnect } from './call.ts';
import type { CallHost, Legs } from './call-host.ts';
import { momentOf } from './moment.ts';
import { phraseOf } from './reasons.ts';
import { beat, beatMs, endCallsOf } from './worker-lease.ts';

export interface Voice extends CallHost {
  /** Hears of every commit that made events here. */
  whenEvents(listener: (accountId: string) => void): () => void;
  /** Ends the calls this process carries, and gives its lease up. */
  stop(): Promise<void>;
}

const opened = new WeakMap<Environment, Promise<Voice>>();

/** One per process and environment, made when the first call or the first listener needs it. */
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
  await beat(env, workerId);
  const timer = setInterval(() => {
    if (env.pool.ending) clearInterval(timer);
    else beat(env, workerId).catch((error) => env.log.warn({ err: error }, 'the lease on calls could not be renewed'));
  }, beatMs).unref();
  const stopHearing = await hearEnds(env, carried);
  return {
    env,
    workerId,
    onEvents: (accountId) => {
      for (const listener of listeners) listener(accountId);
    },
    whenEvents: (listener) => {
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
      stopHearing();
      await env.db.deleteFrom('voice_workers').where('id', '=', workerId).execute();
    },
  };
}

/** Calls ended elsewhere: heard as notifications, and looked for after a time in which none could be heard. */
async function hearEnds(env: Environment, carried: Map<string, Legs>): Promise<() => void> {
  const takeDown = (callId: string, disconnect: Disconnect) => {
    const legs = carried.get(callId);
    carried.delete(callId);
    legs?.hangUp(disconnect);
  };
  const deaf = env.changes.on('call_ended', (about) => {
    const space = about.indexOf(' ');
    takeDown(about.slice(0, space), JSON.parse(about.slice(space + 1)));
  });
  const forget = await env.changes.onConnected(async (client) => {
    const ids = [...carried.keys()];
    if (ids.length === 0) return;
    const { rows } = await client.query<{ id: string }>('select id from open_calls where id = any($1)', [ids]);
    const open = new Set(rows.map(({ id }) => id));
    for (const id of ids) if (!open.has(id)) takeDown(id, unheardEnd);
  });
  return () => {
    deaf();
    forget();
  };
}

/** The notification was missed; how the call ended is in its CDR. */
const unheardEnd: Disconnect = { code: 487, reason: phraseOf(487), initiator: 'switch' };
