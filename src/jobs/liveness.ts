/** Jobs of a process that was killed are given back at once, not after the queue's own four hours. */
import type { Pool } from 'pg';
import type { Changes } from '../db/changes.ts';
import { locks } from '../db/locks.ts';

/**
 * Holds a session lock named after a worker pool for as long as this process lives; the returned function lets it go.
 * Fails while the standing connection is down.
 */
export async function announce(changes: Changes, poolId: string): Promise<() => Promise<void>> {
  if (!changes.connected) throw new Error('there is no connection that could hold a lock');
  // Shared, so that a new connection need not wait until the server has noticed that the old one is gone.
  const forget = await changes.onConnected(async (client) => {
    await client.query('select pg_advisory_lock_shared($1, hashtext($2) & 2147483647)', [locks.workerAlive, poolId]);
  });
  return async () => {
    forget();
    await changes.withClient((client) =>
      client.query('select pg_advisory_unlock_shared($1, hashtext($2) & 2147483647)', [locks.workerAlive, poolId]),
    );
  };
}

/**
 * Unlocks jobs whose worker pool holds no lock any more. Pools named otpool- belong to an advance of the clock and live
 * as long as it holds its own lock.
 */
export async function releaseJobsOfTheDead(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ dead: string[] | null }>(
    `with held as (
       select classid::bigint as class, objid::bigint as object, objsubid as form from pg_locks
       where locktype = 'advisory' and granted
         and database = (select oid from pg_database where datname = current_database())
     )
     select array_agg(distinct locked_by) as dead
     from graphile_worker._private_jobs
     where locked_at is not null
       and (locked_by like 'pool-%' or locked_by like 'otpool-%')
       and not exists (
         select 1 from held
         where case when locked_by like 'pool-%'
           then form = 2 and class = $1 and object = hashtext(locked_by) & 2147483647
           else form = 1 and class = 0 and object = $2 end)`,
    [locks.workerAlive, locks.advance],
  );
  const dead = rows[0]?.dead ?? null;
  if (dead === null) return 0;
  await pool.query('select graphile_worker.force_unlock_workers($1)', [dead]);
  return dead.length;
}

/** Gives back what a worker pool of this process still holds, except the jobs whose handlers are running. */
export async function releaseJobsOf(pool: Pool, poolId: string, running: readonly string[]): Promise<void> {
  await pool.query(
    `with freed as (
       update graphile_worker._private_jobs set locked_by = null, locked_at = null
       where locked_by = $1 and id <> all ($2::bigint[]) returning job_queue_id)
     update graphile_worker._private_job_queues q set locked_by = null, locked_at = null
     where q.locked_by = $1 and not exists (
       select 1 from graphile_worker._private_jobs j where j.job_queue_id = q.id and j.id = any ($2::bigint[]))`,
    [poolId, running],
  );
}

/** What the queue itself does for a job that has ended, unless another worker has taken it over meanwhile. */
export async function completeJob(pool: Pool, poolId: string, jobId: string): Promise<void> {
  await pool.query(
    `with done as (
       delete from graphile_worker._private_jobs where id = $2 and locked_by = $1 returning job_queue_id)
     update graphile_worker._private_job_queues q set locked_by = null, locked_at = null
     from done where q.id = done.job_queue_id and q.locked_by = $1`,
    [poolId, jobId],
  );
}
