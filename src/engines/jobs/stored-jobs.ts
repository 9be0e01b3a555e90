/** The table of jobs as workers use it: jobs taken, ended and given back, several at a time. */
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
  /** Run again as if it had not been taken; `lane` is what it waits for. */
  | { kind: 'returned'; lane: string | null }
  /** `isOutage`: the database was away, which says nothing about the job. */
  | { kind: 'failed'; error: string; isOutage: boolean };

export interface EndedJob {
  job: TakenJob;
  end: JobEnd;
}

export interface StoredJobs {
  /** Whose name is on the jobs that are taken. */
  readonly workerId: string;
  /** Jobs that are due, the most urgent first, without those of full lanes. */
  candidates(limit: number, fullLanes: readonly string[]): Promise<Candidate[]>;
  /** Those of them that no other worker has taken. */
  take(ids: readonly string[]): Promise<TakenJob[]>;
  /** What is stored as taken by this worker. */
  held(): Promise<TakenJob[]>;
  end(ends: readonly EndedJob[]): Promise<void>;
  /** Everything this worker still holds. */
  returnAll(): Promise<void>;
}

/** On a connection whose ids are text, as those of `openJobPool` are. */
type Connection = Pick<pg.Pool | pg.PoolClient, 'query'>;

export function storedJobs(db: Connection, workerId: string, taskNames: readonly string[]): StoredJobs {
  const query = async <Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]): Promise<Row[]> =>
    (await db.query<Row>({ name: `jobs_${name}`, text, values })).rows;
  return {
    workerId,
    candidates: (limit, fullLanes) => query<Candidate>('due', dueStatement, [taskNames, fullLanes, limit]),
    take: (ids) => query<TakenJob>('take', takeStatement, [ids, workerId]),
    held: () => query<TakenJob>('held', heldStatement, [workerId]),
    async end(ends) {
      const done = ends.filter(({ end }) => end.kind === 'done').map(({ job }) => job.id);
      if (done.length > 0) await query('end', doneStatement, [done, workerId]);
      for (const { job, end } of ends) {
        if (end.kind === 'returned') await query('return', returnStatement, [job.id, workerId, end.lane]);
        if (end.kind !== 'failed') continue;
        // PostgreSQL stores no NUL, and an end that cannot be stored would hold up all others.
        const error = end.error.replaceAll('\0', '');
        await query('fail', failStatement, [job.id, workerId, error, end.isOutage]);
      }
    },
    async returnAll() {
      await query('return_all', returnAllStatement, [workerId]);
    },
  };
}

/** The oldest of each task by the index, and of those the most urgent. */
const dueStatement = `
  select due.id, due.task, due.lanes
  from unnest($1::text[]) as wanted (task), environment_time.now() as now cross join lateral (
    select j.id, j.task, j.lanes, j.priority, j.run_at from jobs j
    where j.task = wanted.task and j.is_available and j.run_at <= now and not j.lanes && $2::text[]
    order by j.run_at limit $3) due
  order by due.priority, due.run_at, due.id limit $3`;

const takenColumns = 'j.id, j.task, j.payload, j.run_at, j.attempts, j.max_attempts';

const takeStatement = `
  with free as (
    select id from jobs where id = any($1::bigint[]) and is_available for update skip locked
  )
  update jobs j set attempts = j.attempts + 1, locked_by = $2 from free where j.id = free.id
  returning ${takenColumns}`;

const heldStatement = `select ${takenColumns} from jobs j where locked_by = $1`;

/** A job that was given to another worker meanwhile is that one's to end. */
const doneStatement = `delete from jobs where id = any($1::bigint[]) and locked_by = $2`;

const returned = 'attempts = greatest(0, attempts - 1), locked_by = null';

const returnStatement = `
  update jobs set ${returned}, lanes = case when $3::text is null then '{}' else array[$3::text] end
  where id = $1 and locked_by = $2`;

const returnAllStatement = `update jobs set ${returned} where locked_by = $1`;

/**
 * e to the power of the attempt, in seconds, and of ten at most: 25 attempts take four days. After an outage one
 * second, and less than a minute after many: outages of a quarter of an hour use up no job's attempts.
 */
const failStatement = `
  update jobs
  set last_error = $3, locked_by = null,
      run_at = greatest(environment_time.now(), run_at) + interval '1 second'
      * exp(case when $4::boolean then greatest(0, least(attempts - 8, 4)) else least(attempts, 10) end)
  where id = $1 and locked_by = $2`;
