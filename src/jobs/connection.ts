/** How connections of the job queue are set up: their now() is the environment's time (migration 0003). */
import { Logger, type TaskList } from 'graphile-worker';
import pg from 'pg';
import { type Clock, isMovable } from '../clock.ts';
import { connectionOf } from '../db/job-queue.ts';
import type { Environment } from '../environment.ts';
import type { JobPayload } from './jobs.ts';
import type { Tasks } from './tasks.ts';

const settings = "set timezone to 'UTC'; set search_path to environment_time, pg_catalog, public";

export function openJobPool(env: Environment, max: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: connectionOf(env.pool),
    max,
    keepAlive: true,
    application_name: 'trunkline jobs',
    onConnect: (client) => client.query(settings).then(() => undefined),
  });
  pool.on('error', (error) => env.log.warn({ err: error }, 'idle job connection lost'));
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** The handlers as the queue calls them. */
export function taskList(env: Environment, tasks: Tasks): TaskList {
  return Object.fromEntries(
    Object.entries(tasks).map(([name, handle]): [string, TaskList[string]] => [
      name,
      async (payload, { job, abortSignal }) => {
        await untilDue(env.clock, job.run_at);
        await handle(asPayload(payload), {
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

/** The queue's own words go to the environment's log; a finished job is not worth a line. */
export function queueLogger(env: Environment): Logger {
  const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const;
  return new Logger((scope) => (level, message) => {
    env.log[levels[level]]({ worker: scope.label, task: scope.taskIdentifier, job: scope.jobId }, message);
  });
}
