/** Shows the queue to an operator (what waits, what gave up and why, counts for the metrics) and retries or discards jobs. */
import type { Pool } from 'pg';
import type { Environment } from '../environment.ts';

export const jobStates = ['failed', 'due', 'running', 'scheduled'] as const;
/** `failed`: tried as often as allowed, and left alone since. */
export type JobState = (typeof jobStates)[number];

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
  when j.locked_at is not null then 'running'
  when j.attempts >= j.max_attempts then 'failed'
  when j.run_at <= environment_time.now() then 'due'
  else 'scheduled' end`;

const selectSql = `
  select * from (
    select j.id::text, t.identifier as task, ${stateSql} as state, j.attempts, j.max_attempts, j.created_at, j.run_at,
           j.last_error, j.payload
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id) jobs`;

export interface JobFilter {
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

/** Lets jobs that gave up run again, with all their attempts. Returns how many there were. */
export async function retryJobs(pool: Pool, which: JobChoice): Promise<number> {
  const { rows } = await pool.query(
    `update graphile_worker._private_jobs j set attempts = 0, run_at = environment_time.now()
     ${chosenSql} returning pg_notify('jobs:insert', '{"r":' || random() || ',"count":1}')`,
    chosen(which),
  );
  return rows.length;
}

/** Removes jobs that gave up for good. Returns how many there were. */
export async function discardJobs(pool: Pool, which: JobChoice): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from graphile_worker._private_jobs j ${chosenSql.replace('from', 'using')}`,
    chosen(which),
  );
  return rowCount ?? 0;
}

/** One job, or every one of a task. */
export type JobChoice = { id: string } | { task: string };

const chosenSql = `from graphile_worker._private_tasks t
  where t.id = j.task_id and j.locked_at is null and j.attempts >= j.max_attempts
    and ($1::bigint is null or j.id = $1) and ($2::text is null or t.identifier = $2)`;

const chosen = (which: JobChoice): unknown[] => ('id' in which ? [which.id, null] : [null, which.task]);

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
     from (${selectSql}) jobs where state in ('due', 'failed') group by task, state`,
  );
  return rows;
}

export interface JobCounts {
  /** To be run later. */
  scheduled: number;
  /** Due, and not yet begun. */
  due: number;
  running: number;
  /** Tried as often as allowed. */
  failed: number;
}

export async function countJobs(env: Environment): Promise<JobCounts> {
  const { rows } = await env.pool.query<JobCounts>(
    `select count(*) filter (where is_available and run_at > environment_time.now()) as scheduled,
            count(*) filter (where is_available and run_at <= environment_time.now()) as due,
            count(*) filter (where locked_at is not null) as running,
            count(*) filter (where locked_at is null and attempts >= max_attempts) as failed
     from graphile_worker._private_jobs`,
  );
  return rows[0] ?? { scheduled: 0, due: 0, running: 0, failed: 0 };
}
