/** Runs what is due by the environment's clock and waits until it has ended, wherever it runs. */
import { type RunOnceOptions, runTaskListOnce } from 'graphile-worker';
import type { PoolClient } from 'pg';
import type { Environment } from '../environment.ts';
import { openJobPool, queueLogger } from './connection.ts';
import type { TaskHandler } from './handler.ts';
import { releaseJobsOfTheDead } from './liveness.ts';
import { taskList } from './task-list.ts';

export interface DueJobs {
  /** Its now() is the environment's time. */
  readonly client: PoolClient;
  /** Everything due now, and what that adds to be done now; also jobs that other processes have begun. */
  run(): Promise<void>;
  /** The due time of the job that comes next, if that is not after `limit`; both in milliseconds. */
  next(limit: number): Promise<number | null>;
  close(): Promise<void>;
}

/** Jobs that are due did not end in time. */
export class JobsStalled extends Error {
  override readonly name = 'JobsStalled';
}

/** One object for all advances of an environment: the library keeps every one that it has seen. */
const queueOptions = new WeakMap<Environment, RunOnceOptions>();

function optionsOf(env: Environment): RunOnceOptions {
  const known = queueOptions.get(env) ?? { logger: queueLogger(env), noHandleSignals: true };
  queueOptions.set(env, known);
  return known;
}

export async function openDueJobs(
  env: Environment,
  handlers: readonly TaskHandler[],
  patienceMs: number,
): Promise<DueJobs> {
  const pool = openJobPool(env, 1);
  const client = await pool.connect();
  const list = taskList(env, handlers);
  const names = handlers.map(({ task }) => task.name);
  const options = optionsOf(env);

  /** One job after another in due order; a job that keeps adding itself is stopped with the rest. */
  async function runHere(): Promise<void> {
    if (names.length === 0) return;
    const once = runTaskListOnce(options, list, client);
    const end = () => Promise.resolve(once.gracefulShutdown('jobs take too long')).catch(() => undefined);
    const tooLong = setTimeout(() => void end(), patienceMs);
    await once.promise.finally(() => clearTimeout(tooLong));
  }

  async function isBusy(): Promise<boolean> {
    const { rows } = await client.query<{ busy: boolean }>({ name: 'jobs_busy', text: busy, values: [names] });
    return rows[0]?.busy ?? false;
  }

  async function collect(): Promise<number> {
    let collected = 0;
    for (const handler of handlers) collected += (await handler.collect?.(env)) ?? 0;
    return collected;
  }

  return {
    client,
    async run() {
      const deadline = performance.now() + patienceMs;
      await collect();
      do {
        // Workers elsewhere need not wait for their next poll to help.
        await client.query(`select pg_notify('jobs:insert', '{"count":100}')`);
        await runHere();
        while (await isBusy()) {
          if (performance.now() > deadline) throw new JobsStalled('jobs that are due have not ended in time');
          await releaseJobsOfTheDead(env.pool);
          await new Promise((resolve) => setTimeout(resolve, 5));
          await runHere();
        }
      } while ((await collect()) > 0);
    },
    async next(limit) {
      const { rows } = await client.query<{ due: Date }>({
        name: 'jobs_next_due',
        text: nextDue,
        values: [names, new Date(limit)],
      });
      return rows[0]?.due.getTime() ?? null;
    },
    async close() {
      client.release(true);
      await pool.end();
    },
  };
}

/** Ignores jobs of tasks without a handler here, as the queue does. */
const known = `task_id in (select id from graphile_worker._private_tasks where identifier = any($1))`;

const busy = `
  select exists (select 1 from graphile_worker._private_jobs where locked_at is not null and run_at <= now())
      or exists (select 1 from graphile_worker._private_jobs where is_available and run_at <= now() and ${known})
      as busy`;

/**
 * Rounded up to the millisecond: the clock counts no finer, and must not stop short of a due time. Also jobs that have
 * begun: one that was taken just before the clock was stopped may be due some milliseconds after the moment it stands at,
 * and time must not pass it while it runs.
 */
const nextDue = `
  select date_trunc('milliseconds', run_at + interval '999 microseconds') as due
  from graphile_worker._private_jobs
  where run_at <= $2 and (locked_at is not null or is_available and ${known})
  order by run_at limit 1`;
