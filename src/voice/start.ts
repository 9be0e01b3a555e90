/** What runs beside the calls in a process with the role `worker`: delivery of events, and an eye on others' leases. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../environment.ts';
import { Deliverer } from './events/deliverer.ts';
import { prepareMonths } from './months.ts';
import { openedVoice, voiceOf } from './voice.ts';
import { endOverlongCalls, Reaper } from './worker-lease.ts';

export interface VoiceService {
  stop(): Promise<void>;
}

/** Events of calls in other processes are found by looking; those of this one's own wake the deliverer at once. */
const lookMs = 100;
const reapMs = 1_000;
const overlongMs = 60_000;
const monthsMs = 3_600_000;
const lastPostsMs = 2_000;

const deliverers = new WeakMap<Environment, Deliverer>();

/** One per process and environment, whether or not the timer below runs. */
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
    every(env, lookMs, 'look for events', () => deliverer.start()),
    every(env, reapMs, 'look for calls whose process is gone', async () => {
      const ended = await reaper.look();
      if (ended > 0) env.log.warn({ calls: ended }, 'ended the calls of a process that is gone');
    }),
    every(env, overlongMs, 'look for calls that last too long', async () => {
      await endOverlongCalls(env);
    }),
    every(env, monthsMs, 'prepare the tables of the next months', () => prepareMonths(env)),
  ];
  const deaf = voice.whenEvents((accountId) => deliverer.wake(accountId));
  return {
    async stop() {
      for (const timer of timers) timer.stop();
      // Without a database nothing can be ended; another process will.
      await voice.stop().catch((error) => env.log.warn({ err: error }, 'calls could not be ended'));
      deaf();
      // The ends of those calls go out now if their receivers are quick; what does not waits for the next start.
      await Promise.race([deliverer.look().catch(() => undefined), sleep(lastPostsMs)]);
      deliverers.delete(env);
      await Promise.all(timers.map(({ idle }) => idle()));
      await deliverer.stop();
    },
  };
}

/** For a process without the role `worker`, which may carry calls all the same: those of the sandbox's simulator. */
export async function stopVoice(env: Environment): Promise<void> {
  await openedVoice(env)?.then((voice) => voice.stop());
}

/** Runs `action` again and again, never twice at once; what goes wrong is logged and tried again. */
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
