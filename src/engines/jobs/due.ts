/** Runs what is due by the environment's clock and waits until it has ended, wherever it runs. */
import type { PoolClient } from 'pg';
import { openJobPool } from './connection.ts';
import type { JobEnvironment } from './environment.ts';
import type { TaskHandler } from './handler.ts';
import type { Lanes } from './lanes.ts';
import { announceOn, newWorkerId, releaseJobsOfTheDead } from './liveness.ts';
import { runJob } from './run-job.ts';
import { storedJobs } from './stored-jobs.ts';

export interface DueJobs {
  /** For what else belongs to the advance. */
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

export async function openDueJobs(
  env: JobEnvironment,
  handlers: readonly TaskHandler[],
  patienceMs: number,
): Promise<DueJobs> {
  const pool = openJobPool(env, 1);
  const client = await pool.connect();
  const workerId = newWorkerId();
  await announceOn(client, workerId);
  const handlerOf = new Map(handlers.map((handler) => [handler.task.name, handler]));
  const names = [...handlerOf.keys()];
  const jobs = storedJobs(client, workerId, names);

  /** One job after another in due order; a job that keeps adding itself is stopped with the rest. */
  async function runHere(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const [first] = await jobs.candidates(1, []);
      if (first === undefined) return;
      for (const job of await jobs.take([first.id])) {
        const handler = handlerOf.get(job.task);
        let end = await runJob(env, job, { handler, stopping: signal, signal });
        while (end.kind === 'returned' && end.lane !== null && !signal.aborted) {
          await roomIn(env.jobs.lanes, end.lane, signal);
          end = await runJob(env, job, { handler, stopping: signal, signal });
        }
        await jobs.end([{ job, end }]);
      }
    }
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
      const signal = AbortSignal.timeout(patienceMs);
      await collect();
      do {
        // Workers elsewhere need not wait for their next poll to help.
        await client.query(`select pg_notify('jobs', '')`);
        await runHere(signal);
        while (await isBusy()) {
          if (signal.aborted) throw new JobsStalled('jobs that are due have not ended in time');
          await releaseJobsOfTheDead(client);
          await new Promise((resolve) => setTimeout(resolve, 5));
          await runHere(signal);
        }
      } while ((await collect()) > 0);
    },
    async next(limit) {
      const { rows } = await client.query<{ due: Date | null }>({
        name: 'jobs_next_due',
        text: nextDue,
        values: [names, new Date(limit)],
      });
      return rows[0]?.due?.getTime() ?? null;
    },
    async close() {
      client.release(true);
      await pool.end();
    },
  };
}

/** Jobs of tasks without a handler here are left alone, as they are by workers. */
const busy = `
  select exists (select from jobs where locked_by is not null and run_at <= environment_time.now())
      or exists (select from jobs where is_available and run_at <= environment_time.now() and task = any($1)) as busy`;

/**
 * Rounded up to the millisecond: the clock counts no finer, and must not stop short of a due time. Also jobs that have
 * begun: one that was taken just before the clock was stopped may be due some milliseconds after the moment it stands
 * at, and time must not pass it while it runs.
 */
const nextDue = `
  select date_trunc('milliseconds', min(run_at) + interval '999 microseconds') as due
  from (
    select run_at from jobs where locked_by is not null
    union all
    select first.run_at from unnest($1::text[]) as known (task) cross join lateral (
      select run_at from jobs where task = known.task and is_available order by run_at limit 1) first
  ) jobs_to_come
  where run_at <= $2`;

function roomIn(lanes: Lanes, lane: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      forget();
      signal.removeEventListener('abort', settle);
      resolve();
    };
    const look = () => {
      if (!lanes.isFull(lane)) settle();
    };
    const forget = lanes.onRoom(look);
    signal.addEventListener('abort', settle, { once: true });
    look();
  });
}
