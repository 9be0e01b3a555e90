/** The queue's tables as the lane worker uses them: jobs taken, ended and given back, several at a time. */
import type pg from 'pg';

export interface Candidate {
  id: string;
  task: string;
  /** The lanes it was added with, or the one it was put back for. */
  lanes: string[];
}

export interface TakenJob {
  id: string;
  task: string;
  payload: unknown;
  run_at: Date;
  attempts: number;
  max_attempts: number;
}

export type JobEnd =
  | { kind: 'done' }
  /** Done, and deleted by the transaction that did it: nothing is left to write. */
  | { kind: 'deleted' }
  /** Run again as if it had not been taken; `lane` is what it waits for. */
  | { kind: 'returned'; lane: string | null }
  /** `isOutage`: the database was away, which says nothing about the job. */
  | { kind: 'failed'; error: string; isOutage: boolean };

export interface LaneQueue {
  /** Whose name is on the jobs that are taken. */
  readonly workerId: string;
  /** Jobs that are due, the most urgent first, without those of full lanes. */
  candidates(limit: number, fullLanes: readonly string[]): Promise<Candidate[]>;
  /** Those of them that no other worker has taken. */
  take(ids: readonly string[]): Promise<TakenJob[]>;
  /** What is stored as taken by this worker. */
  held(): Promise<TakenJob[]>;
  end(ends: readonly { job: TakenJob; end: JobEnd }[]): Promise<void>;
  /** Everything this worker still holds. */
  returnAll(): Promise<void>;
}

type TakenRow = Omit<TakenJob, 'task'> & { task_id: number };

export async function openLaneQueue(pool: pg.Pool, workerId: string, taskNames: readonly string[]): Promise<LaneQueue> {
  await pool.query(
    `insert into graphile_worker._private_tasks (identifier) select unnest($1::text[])
     on conflict (identifier) do nothing`,
    [taskNames],
  );
  const { rows } = await pool.query<{ id: number; identifier: string }>(
    'select id, identifier from graphile_worker._private_tasks where identifier = any($1)',
    [taskNames],
  );
  const names = new Map(rows.map(({ id, identifier }) => [id, identifier]));
  const taskIds = [...names.keys()];
  const takenJob = ({ task_id, ...job }: TakenRow): TakenJob => ({ ...job, task: names.get(task_id) ?? '' });
  return {
    workerId,
    async candidates(limit, fullLanes) {
      const { rows: found } = await pool.query<{ id: string; task_id: number; flags: object | null }>({
        name: 'jobs_due',
        text: dueStatement,
        values: [taskIds, fullLanes, limit],
      });
      return found.map(({ id, task_id, flags }) => ({
        id,
        task: names.get(task_id) ?? '',
        lanes: Object.keys(flags ?? {}),
      }));
    },
    async take(ids) {
      const { rows: taken } = await pool.query<TakenRow>({
        name: 'jobs_take',
        text: takeStatement,
        values: [ids, workerId],
      });
      return taken.map(takenJob);
    },
    async held() {
      const { rows: held } = await pool.query<TakenRow>(heldStatement, [workerId]);
      return held.map(takenJob);
    },
    async end(ends) {
      const done = ends.filter(({ end }) => end.kind === 'done').map(({ job }) => job.id);
      if (done.length > 0) {
        await pool.query({ name: 'jobs_end', text: doneStatement, values: [done, workerId] });
      }
      for (const { job, end } of ends) {
        if (end.kind === 'returned') await pool.query(returnStatement, [job.id, workerId, end.lane]);
        if (end.kind !== 'failed') continue;
        // PostgreSQL stores no NUL, and an end that cannot be stored would hold up all others.
        const error = end.error.replaceAll('\0', '');
        await pool.query(failStatement, [job.id, workerId, error, end.isOutage ? 0 : longestWait]);
      }
    },
    async returnAll() {
      await pool.query(returnAllStatement, [workerId]);
    },
  };
}

/** Named queues of the library are not asked for: what may run side by side is said by lanes. */
const dueStatement = `
  select id, task_id, flags from graphile_worker._private_jobs
  where is_available and run_at <= now() and task_id = any($1::int[]) and (flags ?| $2::text[]) is not true
  order by priority, run_at limit $3`;

const takenColumns = 'j.id, j.task_id, j.payload, j.run_at, j.attempts, j.max_attempts';

const takeStatement = `
  with free as (
    select id from graphile_worker._private_jobs where id = any($1::bigint[]) and is_available for update skip locked
  )
  update graphile_worker._private_jobs j set attempts = j.attempts + 1, locked_by = $2, locked_at = now()
  from free where j.id = free.id
  returning ${takenColumns}`;

const heldStatement = `select ${takenColumns} from graphile_worker._private_jobs j where locked_by = $1`;

/** A job that was given to another worker meanwhile is that one's to end. */
const doneStatement = `
  delete from graphile_worker._private_jobs where id = any($1::bigint[]) and locked_by = $2`;

const returned = 'attempts = greatest(0, attempts - 1), locked_by = null, locked_at = null';

const returnStatement = `
  update graphile_worker._private_jobs
  set ${returned}, flags = case when $3::text is null then null else jsonb_build_object($3::text, true) end
  where id = $1 and locked_by = $2`;

const returnAllStatement = `update graphile_worker._private_jobs set ${returned} where locked_by = $1`;

/** Of a job that has failed ten times or more: e to the power of ten, in seconds. */
const longestWait = 10;

/** The waits are the library's own: e to the power of the attempt, in seconds. After an outage it is one second. */
const failStatement = `
  update graphile_worker._private_jobs
  set last_error = $3, run_at = greatest(now(), run_at) + exp(least(attempts, $4::int)) * interval '1 second',
      locked_by = null, locked_at = null
  where id = $1 and locked_by = $2`;
