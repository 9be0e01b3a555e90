/**
 * Background work of a process with the role `worker`: delivering events, ending calls of dead processes and overlong
 * calls, creating partitions.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../environment.ts';
import { Deliverer } from './events/deliverer.ts';
import { prepareMonths } from './months.ts';
import { openedVoice, voiceOf } from './voice.ts';
import { endOverlongCalls, Reaper } from './worker-lease.ts';

export interface VoiceService {
  stop(): Promise<void>;
}

/** Events of calls in other processes are found by polling; events of this process wake the deliverer at once. */
const pollMs = 100;
const reapMs = 1_000;
const overlongMs = 60_000;
const monthsMs = 3_600_000;
const lastPostsMs = 2_000;

const deliverers = new WeakMap<Environment, Deliverer>();

/** One per process and environment; exists even if the timers below do not run. */
export function delivererOf(env: Environment): Deliverer {
  const known = deliverers.get(env) ?? new Deliverer(env);
  deliverers.set(env, known);
  return known;
}

export async function startVoice(env: Environment): Promise<VoiceService> {
  await prepareMonths(env);
  const voice = await voiceOf(env);
  const deliverer = delivererOf(env);
  const reaper = new Reaper(env);
  const timers = [
    every(env, pollMs, 'look for events', () => deliverer.startDue()),
    every(env, reapMs, 'look for calls whose process is gone', async () => {
      const ended = await reaper.check();
      if (ended > 0) env.log.warn({ calls: ended }, 'ended the calls of a process that is gone');
    }),
    every(env, overlongMs, 'look for calls that last too long', async () => {
      await endOverlongCalls(env);
    }),
    every(env, monthsMs, 'prepare the tables of the next months', () => prepareMonths(env)),
  ];
  const stopListening = voice.onCommittedEvents((accountId) => deliverer.wake(accountId));
  return {
    async stop() {
      for (const timer of timers) timer.stop();
      // Without a database calls cannot be ended; another process will end them.
      await voice.stop().catch((error) => env.log.warn({ err: error }, 'calls could not be ended'));
      stopListening();
      // Try to deliver the end events of these calls now; slow receivers get them after the next start.
      await Promise.race([deliverer.deliverDue().catch(() => undefined), sleep(lastPostsMs)]);
      deliverers.delete(env);
      await Promise.all(timers.map(({ idle }) => idle()));
      await deliverer.stop();
    },
  };
}

/** Stops the calls of a process without the role `worker`: the sandbox's simulator may have opened some. */
export async function stopVoice(env: Environment): Promise<void> {
  await openedVoice(env)?.then((voice) => voice.stop());
}

/** Runs `action` periodically, never twice at the same time; errors are logged and the next run tries again. */
function every(env: Environment, ms: number, what: string, action: () => Promise<void>) {
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    running = action()
      .catch((error) => env.log.warn({ err: error }, `could not ${what}`))
      .finally(() => {
        isRunning = false;
      });
  }, ms).unref();
  return { stop: () => clearInterval(timer), idle: () => running };
}
