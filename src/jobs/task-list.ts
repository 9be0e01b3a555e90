/** Our handlers in the form in which the queue calls them. */
import type { TaskList } from 'graphile-worker';
import { type Clock, isMovable } from '../clock.ts';
import type { Environment } from '../environment.ts';
import type { TaskHandler } from './handler.ts';
import { LaneFull, type Lanes, lanesOf } from './lanes.ts';
import { asJob } from './queue.ts';
import type { JobPayload } from './task.ts';

export function taskList(env: Environment, handlers: readonly TaskHandler[], signal?: AbortSignal): TaskList {
  return Object.fromEntries(
    handlers.map((handler): [string, TaskList[string]] => [
      handler.task.name,
      async (payload, { job, abortSignal }) => {
        await untilDue(env.clock, job.run_at);
        const carried = asPayload(payload);
        const context = {
          env,
          dueAt: job.run_at,
          attempt: job.attempts,
          maxAttempts: job.max_attempts,
          signal: signal ?? abortSignal,
        };
        const run = () => asJob(handler.task, carried, () => handler.run(carried, context));
        await whenLaneHasRoom(lanesOf(env), context.signal, run);
      },
    ]),
  );
}

export function asPayload(payload: unknown): JobPayload {
  if (typeof payload !== 'object' || payload === null) throw new TypeError('a job carries an object');
  return { ...payload };
}

/**
 * The queue goes by the database's clock. This process may be some milliseconds behind it, or not yet have heard of an
 * advance; a handler that checks whether something has expired must not run before that time.
 */
export async function untilDue(clock: Clock, dueAt: Date): Promise<void> {
  if (clock.now() < dueAt && isMovable(clock)) await clock.refresh?.();
  for (let waits = 0; clock.now() < dueAt && waits < 100; waits++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** For an advance of the clock, which runs jobs with lanes itself, one after another. */
async function whenLaneHasRoom(lanes: Lanes, signal: AbortSignal, run: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof LaneFull)) throw error;
      await roomIn(lanes, error.lane, signal);
    }
  }
}

function roomIn(lanes: Lanes, lane: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      forget();
      reject(signal.reason);
    };
    const look = () => {
      if (lanes.isFull(lane)) return;
      forget();
      signal.removeEventListener('abort', abort);
      resolve();
    };
    const forget = lanes.onRoom(look);
    signal.addEventListener('abort', abort, { once: true });
    look();
  });
}
