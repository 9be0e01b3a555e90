/**
 * Wakes those who wait for a message in the sandbox's inbox: in this process at once, in others by a notification for all
 * messages of a few milliseconds. It may be lost with the process; those who wait also look again every second.
 */
import { outsideRequests } from '../db/work.ts';
import type { Environment } from '../environment.ts';

const topic = 'sandbox_message';
const gatherMs = 10;

interface Arrivals {
  readonly listeners: Set<(destination: string) => void>;
  untold: Set<string>;
}

const ofEnvironment = new WeakMap<Environment, Arrivals>();

function arrivalsOf(env: Environment): Arrivals {
  const known = ofEnvironment.get(env) ?? { listeners: new Set(), untold: new Set() };
  ofEnvironment.set(env, known);
  return known;
}

/** Call it after the commit. */
export function tellArrival(env: Environment, destination: string): void {
  const arrivals = arrivalsOf(env);
  for (const listener of [...arrivals.listeners]) listener(destination);
  if (arrivals.untold.size === 0) setTimeout(() => void tellOthers(env, arrivals), gatherMs).unref();
  arrivals.untold.add(destination);
}

async function tellOthers(env: Environment, arrivals: Arrivals): Promise<void> {
  const messages = [...arrivals.untold].map((destination) => `${topic} ${destination}`);
  arrivals.untold = new Set();
  try {
    await outsideRequests(() =>
      // Nothing is stored, so nothing has to be on disk before the others are told.
      env.changes.query(
        `select set_config('synchronous_commit', 'off', true), pg_notify('trunkline', message) from unnest($1::text[]) as message`,
        [messages],
      ),
    );
  } catch (error) {
    env.log.debug({ err: error }, 'could not tell of messages in the inbox');
  }
}

/** Starts to listen before the inbox is read, so that no message is missed in between; null listens for all numbers. */
export function listenForArrival(env: Environment, destination: string | null, signal: AbortSignal) {
  const heard = Promise.withResolvers<void>();
  const arrived = () => heard.resolve();
  const listener = (about: string) => {
    if (destination === null || about === destination) arrived();
  };
  const { listeners } = arrivalsOf(env);
  listeners.add(listener);
  const forget = env.changes.on(topic, listener);
  signal.addEventListener('abort', arrived);
  return {
    wait: async (atMostMs: number) => {
      const timer = setTimeout(arrived, atMostMs);
      await heard.promise;
      clearTimeout(timer);
    },
    stop: () => {
      forget();
      listeners.delete(listener);
      signal.removeEventListener('abort', arrived);
    },
  };
}
