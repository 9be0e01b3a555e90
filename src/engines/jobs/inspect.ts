/**
 * Shows the queue to an operator (what waits, what gave up and why, counts for the metrics) and retries or discards
 * jobs.
 */
import { type Kysely, sql } from 'kysely';
import type { Pool } from 'pg';
import type { Schema } from '../db/schema.ts';
import type { JobEnvironment } from './environment.ts';

export const jobStates = ['failed', 'due', 'running', 'scheduled'] as const;
/** `failed`: tried as often as allowed, and left alone since. */
type JobState = (typeof jobStates)[number];

export interface InspectedJob {
  id: string;
  task: string;
  state: JobState;
  attempts: number;
  max_attempts: number;
  created_at: Date;
  run_at: Date;
  last_error: string | null;
  payload: unknown;
}

const listLimit = 200;

const stateSql = `case
  when j.locked_by is not null then 'running'
  when j.attempts >= j.max_attempts then 'failed'
  when j.run_at <= environment_time.now() then 'due'
  else 'scheduled' end`;

/** The jobs with their states. */
export const queueSql = `
  select j.id, j.task, ${stateSql} as state, j.attempts, j.max_attempts, j.created_at, j.run_at, j.last_error, j.payload
  from jobs j`;

const selectSql = `
  select id::text, task, state, attempts, max_attempts, created_at, run_at, last_error, payload from (${queueSql}) jobs_by_state`;

interface JobFilter {
  state: JobState;
  task?: string;
}

/** The newest first. */
export async function listJobs(pool: Pool, { state, task }: JobFilter): Promise<InspectedJob[]> {
  const { rows } = await pool.query<InspectedJob>(
    `${selectSql} where state = $1 and ($2::text is null or task = $2) order by run_at desc limit ${listLimit}`,
    [state, task ?? null],
  );
  return rows;
}

export async function findJob(pool: Pool, id: string): Promise<InspectedJob | null> {
  const { rows } = await pool.query<InspectedJob>(`${selectSql} where id = $1`, [id]);
  return rows[0] ?? null;
}

/** Jobs that gave up: one, or every one of a task, of a time in which they fell due, or of both. */
interface JobChoice {
  readonly id?: string | undefined;
  readonly task?: string | null | undefined;
  readonly since?: Date | null | undefined;
  readonly until?: Date | null | undefined;
}

/** Lets jobs that gave up run again, with all their attempts. Returns how many there were. */
export async function retryJobs(db: Kysely<Schema>, which: JobChoice): Promise<number> {
  const { rows } = await sql`
    update jobs j set attempts = 0, run_at = environment_time.now()
    where j.id in ${gaveUp(which)} returning pg_notify('jobs', j.task)`.execute(db);
  return rows.length;
}

/** Removes jobs that gave up for good. Returns how many there were. */
export async function discardJobs(db: Kysely<Schema>, which: JobChoice): Promise<number> {
  const { rows } = await sql`
    delete from jobs j where j.id in ${gaveUp(which)} returning j.id`.execute(db);
  return rows.length;
}

const gaveUp = ({ id, task, since, until }: JobChoice) => sql`(
  select j.id from jobs j
  where j.locked_by is null and j.attempts >= j.max_attempts
    and (${id ?? null}::bigint is null or j.id = ${id ?? null}::bigint)
    and (${task ?? null}::text is null or j.task = ${task ?? null}::text)
    and (${since ?? null}::timestamptz is null or j.run_at >= ${since ?? null}::timestamptz)
    and (${until ?? null}::timestamptz is null or j.run_at <= ${until ?? null}::timestamptz)
  for update skip locked)`;

export interface TaskBacklog {
  task: string;
  state: 'due' | 'failed';
  count: number;
  /** Seconds since the oldest of them fell due. */
  oldest: number;
}

/** What should have been done by now, by task. */
export async function countBacklog(pool: Pool): Promise<TaskBacklog[]> {
  const { rows } = await pool.query<TaskBacklog>(
    `select task, state, count(*)::int as count,
            greatest(extract(epoch from environment_time.now() - min(run_at)), 0)::float8 as oldest
     from (${queueSql}) jobs_by_state where state in ('due', 'failed') group by task, state`,
  );
  return rows;
}

interface JobCounts {
  /** To be run later. */
  scheduled: number;
  /** Due, and not yet begun. */
  due: number;
  running: number;
  /** Tried as often as allowed. */
  failed: number;
}

export async function countJobs(env: JobEnvironment): Promise<JobCounts> {
  const { rows } = await env.pool.query<JobCounts>(
    `select count(*) filter (where is_available and run_at > environment_time.now()) as scheduled,
            count(*) filter (where is_available and run_at <= environment_time.now()) as due,
            count(*) filter (where locked_by is not null) as running,
            count(*) filter (where locked_by is null and attempts >= max_attempts) as failed
     from jobs`,
  );
  return rows[0] ?? { scheduled: 0, due: 0, running: 0, failed: 0 };
}
