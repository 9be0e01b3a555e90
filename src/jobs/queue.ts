/** Adds jobs to the queue (graphile-worker), in the caller's transaction, due by the environment's clock. */
import { sql } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Jobs } from './jobs.ts';

export function createJobs(clock: Clock): Jobs {
  return {
    async add(trx, task, payload, options = {}) {
      // The queue compares with the database's clock. Where that is a little behind ours, a job for "now" would have to
      // wait for the next poll; so it is due by whichever is earlier.
      const due = options.at
        ? sql`${options.at}::timestamptz`
        : sql`least(${clock.now()}::timestamptz, environment_time.now())`;
      await sql`
        select 1 from graphile_worker.add_job(
          ${task}::text, ${JSON.stringify(payload)}::json, ${options.queue ?? null}::text, ${due},
          ${options.maxAttempts ?? null}::int, ${options.key ?? null}::text)
      `.execute(trx);
    },
  };
}
