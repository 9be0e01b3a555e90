/** The voice room of one process in one environment: its lease on the calls it carries, and who hears of their events. */
import { randomUUID } from 'node:crypto';
import type { Environment } from '../environment.ts';
import type { CallHost } from './inbound/arrive.ts';
import { momentOf } from './moment.ts';
import { beat, beatMs, endCallsOf } from './worker-lease.ts';

export interface Voice extends CallHost {
  /** Hears of every commit that made events here. */
  whenEvents(listener: (accountId: string) => void): () => void;
  /** Ends the calls this process carries, and lets its lease go. */
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

async function open(env: Environment): Promise<Voice> {
  const workerId = randomUUID();
  const listeners = new Set<(accountId: string) => void>();
  await beat(env, workerId);
  const timer = setInterval(() => {
    if (env.pool.ending) clearInterval(timer);
    else beat(env, workerId).catch((error) => env.log.warn({ err: error }, 'the lease on calls could not be renewed'));
  }, beatMs).unref();
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
    async stop() {
      clearInterval(timer);
      opened.delete(env);
      await endCallsOf(env, workerId, momentOf(env.clock));
      await env.db.deleteFrom('voice_workers').where('id', '=', workerId).execute();
    },
  };
}
