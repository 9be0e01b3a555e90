/** Adds jobs to the queue (graphile-worker), in the caller's transaction, due by the environment's clock. */
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Jobs } from './jobs.ts';
import { SelfPlanning } from './self-planning.ts';
import { priorityOf } from './task.ts';

export function createJobs(clock: Clock, log: Pick<Logger, 'error'>): Jobs {
  const selfPlanning = new SelfPlanning(log);
  return {
    async add(
      trx,
      task,
      payload,
      { at: wanted = null, key = null, queue = null, lanes = null, maxAttempts = null } = {},
    ) {
      const text = JSON.stringify(payload);
      const now = clock.now();
      const at = selfPlanning.dueAt(task, payload, wanted, now);
      const { name } = task;
      const priority = priorityOf(task);
      if (key === null && queue === null && lanes === null) {
        await sql`select queue_job(${name}, ${text}::json, ${now}, ${at}, ${maxAttempts}, ${priority})`.execute(trx);
        return;
      }
      const due = at ? sql`${at}::timestamptz` : sql`least(${now}::timestamptz, environment_time.now())`;
      await sql`
        select 1 from graphile_worker.add_job(
          ${name}::text, ${text}::json, ${queue}::text, ${due}, ${maxAttempts}::int, ${key}::text, ${priority}::int,
          ${lanes}::text[])
      `.execute(trx);
    },
  };
}
