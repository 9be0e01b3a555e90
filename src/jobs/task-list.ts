/** Our handlers in the form in which the queue calls them. */
import type { TaskList } from 'graphile-worker';
import { type Clock, isMovable } from '../clock.ts';
import type { Environment } from '../environment.ts';
import type { TaskHandler } from './handler.ts';
import type { JobPayload } from './task.ts';

export function taskList(env: Environment, handlers: readonly TaskHandler[]): TaskList {
  return Object.fromEntries(
    handlers.map((handler): [string, TaskList[string]] => [
      handler.task.name,
      async (payload, { job, abortSignal }) => {
        await untilDue(env.clock, job.run_at);
        await handler.run(asPayload(payload), {
          env,
          dueAt: job.run_at,
          attempt: job.attempts,
          maxAttempts: job.max_attempts,
          signal: abortSignal,
        });
      },
    ]),
  );
}

function asPayload(payload: unknown): JobPayload {
  if (typeof payload !== 'object' || payload === null) throw new TypeError('a job carries an object');
  return { ...payload };
}

/**
 * The queue goes by the database's clock. This process may be some milliseconds behind it, or not yet have heard of an
 * advance; a handler that asks "has it expired?" must not be told "not yet".
 */
async function untilDue(clock: Clock, dueAt: Date): Promise<void> {
  if (clock.now() < dueAt && isMovable(clock)) await clock.refresh?.();
  for (let waits = 0; clock.now() < dueAt && waits < 100; waits++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
