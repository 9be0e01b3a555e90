/** Jobs of a process that was killed are given back as soon as its connection is gone. */
import { randomBytes } from 'node:crypto';
import type { ClientBase, Pool } from 'pg';
import type { Changes } from '../db/changes.ts';
import { locks } from '../db/locks.ts';
import type { JobEnvironment } from './environment.ts';

/** For the jobs that it takes: no two workers share one. */
export const newWorkerId = (): string => `worker-${randomBytes(9).toString('hex')}`;

/**
 * Holds a session lock named after a worker for as long as this process lives; the returned function lets it go.
 * Fails while the standing connection is down.
 */
export async function announce(changes: Changes, workerId: string): Promise<() => Promise<void>> {
  if (!changes.connected) throw new Error('there is no connection that could hold a lock');
  const forget = await changes.onConnected((client) => announceOn(client, workerId));
  return async () => {
    forget();
    await changes.withClient((client) =>
      client.query('select pg_advisory_unlock_shared($1, hashtext($2) & 2147483647)', [locks.workerAlive, workerId]),
    );
  };
}

/**
 * For as long as this connection lasts. Shared, so that a new one need not wait until the server notices that the old
 * is gone.
 */
export async function announceOn(client: ClientBase, workerId: string): Promise<void> {
  await client.query('select pg_advisory_lock_shared($1, hashtext($2) & 2147483647)', [locks.workerAlive, workerId]);
}

/** Unlocks jobs whose worker holds no lock any more. Returns how many workers those were. */
export async function releaseJobsOfTheDead(db: Pick<Pool | ClientBase, 'query'>): Promise<number> {
  const { rows } = await db.query<{ dead: number }>(
    `with dead as (
       select distinct locked_by from jobs where locked_by is not null and not exists (
         select from pg_locks l
         where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid::bigint = $1
           and l.objid::bigint = hashtext(locked_by) & 2147483647
           and l.database = (select oid from pg_database where datname = current_database()))
     ), freed as (
       update jobs set locked_by = null where locked_by in (select locked_by from dead)
       returning task
     ), told as (
       select pg_notify('jobs', task) from (select distinct task from freed) tasks
     )
     select (select count(*)::int from dead) as dead, (select count(*) from told) as told`,
    [locks.workerAlive],
  );
  return rows[0]?.dead ?? 0;
}

const sweepMs = 5_000;

/** Looks again and again for jobs of workers that are gone. The returned function ends that. */
export function watchForTheDead(env: JobEnvironment): () => void {
  const sweep = async () => {
    // While this process is not connected its own lock is gone too, and its own jobs would look left behind.
    if (!env.changes.connected) return;
    const dead = await releaseJobsOfTheDead(env.pool);
    if (dead > 0) env.log.warn({ workers: dead }, 'gave back the jobs of workers that are gone');
  };
  const timer = setInterval(() => {
    sweep().catch((error) => env.log.warn({ err: error }, 'could not look for jobs of workers that are gone'));
  }, sweepMs).unref();
  return () => clearInterval(timer);
}
