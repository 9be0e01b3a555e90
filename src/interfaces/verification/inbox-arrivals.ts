/**
 * Wakes those who wait for a message in the sandbox's inbox: in this process at once, in others by a notification for
 * all messages of a few milliseconds. It may be lost with the process; those who wait also look again every second.
 */
import { outsideRequests } from '../../engines/db/work.ts';
import type { Environment } from '../../engines/environment.ts';

const topic = 'sandbox_message';
const gatherMs = 10;

/** The arrivals of an environment in this process. */
export class Arrivals {
  readonly listeners = new Set<(destination: string) => void>();
  untold = new Set<string>();
}

export interface WithArrivals {
  readonly arrivals: Arrivals;
}

type ArrivalsEnvironment = Pick<Environment, 'changes' | 'log'> & WithArrivals;

/** Call it after the commit. */
export function tellArrival(env: ArrivalsEnvironment, destination: string): void {
  const { arrivals, changes } = env;
  for (const listener of [...arrivals.listeners]) listener(destination);
  if (changes.counts.isAlone) return;
  if (arrivals.untold.size === 0) setTimeout(() => void tellOthers(env), gatherMs).unref();
  arrivals.untold.add(destination);
}

async function tellOthers({ arrivals, changes, log }: ArrivalsEnvironment): Promise<void> {
  const messages = [...arrivals.untold].map((destination) => `${topic} ${destination}`);
  arrivals.untold = new Set();
  try {
    await outsideRequests(() =>
      // Nothing is stored, so nothing has to be on disk before the others are told.
      changes.query(
        `select set_config('synchronous_commit', 'off', true), pg_notify('trunkline', message) from unnest($1::text[]) as message`,
        [messages],
      ),
    );
  } catch (error) {
    log.debug({ err: error }, 'could not tell of messages in the inbox');
  }
}

/** Starts to listen before the inbox is read, so that no message is missed in between; null listens for all numbers. */
export function listenForArrival(env: ArrivalsEnvironment, destination: string | null, signal: AbortSignal) {
  const heard = Promise.withResolvers<void>();
  const arrived = () => heard.resolve();
  const listener = (about: string) => {
    if (destination === null || about === destination) arrived();
  };
  const { listeners } = env.arrivals;
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
