/** Which jobs come next, for rooms that wait for them or show them; and their removal, for those that begin anew. */
import { type Kysely, sql } from 'kysely';
import type { ClientBase, Pool } from 'pg';
import type { Schema } from '../db/schema.ts';
import type { JobPayload, Task } from './task.ts';

type Connection = Pick<Pool | ClientBase, 'query'>;

interface NextDue {
  /** Of tasks other than these. */
  readonly except?: readonly Task[];
  /** Jobs that fell due earlier count for these tasks only; for all where it is left out. */
  readonly past?: { readonly before: Date; readonly of: readonly Task[] };
}

const namesOf = (tasks: readonly Task[]): string[] => tasks.map(({ name }) => name);

/** When the first job that has not given up falls, or fell, due by the environment's clock; null if there is none. */
export async function nextDue(db: Connection, { except = [], past }: NextDue = {}): Promise<Date | null> {
  const { rows } = await db.query<{ run_at: Date | null }>(
    `select min(run_at) as run_at from jobs
     where attempts < max_attempts and task <> all ($1) and ($2::timestamptz is null or run_at > $2 or task = any ($3))`,
    [namesOf(except), past?.before ?? null, namesOf(past?.of ?? [])],
  );
  return rows[0]?.run_at ?? null;
}

export interface ComingJobs {
  at: Date;
  task: string;
  count: number;
}

/** The jobs that wait for their time, by task. */
export async function comingJobs(db: Connection, limit: number): Promise<ComingJobs[]> {
  const { rows } = await db.query<ComingJobs>(
    `select run_at as at, task, count(*)::int as count from jobs
     where attempts < max_attempts group by 1, 2 order by 1, 2 limit $1`,
    [limit],
  );
  return rows;
}

/** In the caller's transaction: whatever the jobs were about is no longer there. */
export async function removeAllJobs(db: Connection): Promise<void> {
  await db.query('delete from jobs');
}

/**
 * Jobs with this payload that workers have taken. One that is added while another runs does not replace that, whatever
 * its key.
 */
export async function countRunning<Payload extends JobPayload>(
  db: Kysely<Schema>,
  task: Task<Payload>,
  payload: NoInfer<Payload>,
): Promise<number> {
  const { rows } = await sql<{ running: number }>`
    select count(*)::int as running from jobs
    where locked_by is not null and task = ${task.name} and payload::jsonb = ${JSON.stringify(payload)}::jsonb`.execute(
    db,
  );
  return rows[0]?.running ?? 0;
}
