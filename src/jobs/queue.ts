/** Adds jobs to the queue (graphile-worker), in the caller's transaction, due by the environment's clock. */
import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import type { JobOptions, Jobs } from './jobs.ts';

type Add = Parameters<Jobs['add']>;

export function createJobs(clock: Clock): Jobs {
  return {
    async add(trx, task, payload, options = {}) {
      const text = JSON.stringify(payload);
      const now = clock.now();
      const atOnce = options.at === undefined || options.at <= now;
      // The queue compares with the database's clock. Where that is a little behind ours, a job for "now" would have to
      // wait for the next poll; so it is due by whichever is earlier.
      const due = options.at
        ? sql`${options.at}::timestamptz`
        : sql`least(${now}::timestamptz, environment_time.now())`;
      const plain = options.key === undefined && options.queue === undefined;
      if (plain && (await addPlain(trx, task, text, due, atOnce, options))) return;
      await sql`
        select 1 from graphile_worker.add_job(
          ${task}::text, ${text}::json, ${options.queue ?? null}::text, ${due},
          ${options.maxAttempts ?? null}::int, ${options.key ?? null}::text)
      `.execute(trx);
    },
  };
}

/**
 * What the queue's add_job comes to for a job without key and queue, at a quarter of the cost. Nobody is woken for a job
 * that is due later. False when the task is new to the queue, which add_job then makes known.
 */
async function addPlain(
  trx: Add[0],
  task: string,
  payload: string,
  due: RawBuilder<unknown>,
  wake: boolean,
  options: JobOptions,
): Promise<boolean> {
  const insert = sql`
    insert into graphile_worker._private_jobs (task_id, payload, run_at, max_attempts)
    select id, ${payload}::json, ${due}, coalesce(${options.maxAttempts ?? null}::int, 25)
    from graphile_worker._private_tasks where identifier = ${task}
    returning 1`;
  const result = await (wake
    ? // One worker per job; the number keeps PostgreSQL from taking the words for two jobs of a transaction for the same.
      sql`with added as (${insert}) select pg_notify('jobs:insert', '{"r":' || random() || ',"count":1}') from added`
    : insert
  ).execute(trx);
  return result.rows.length > 0;
}
