/** Keeps the locks of running jobs young: their age is to be real time, while the queue measures it by the environment's clock. */
import type { Environment } from '../environment.ts';

/** The queue takes a job that was locked four hours ago for abandoned. `$1` is the environment's time. */
export const keepFresh = (table: '_private_jobs' | '_private_job_queues'): string => `
  update graphile_worker.${table} set locked_at = $1
  where id in (select id from graphile_worker.${table} where locked_at is not null for update skip locked)`;

export async function keepLocksFresh({ pool, clock }: Environment): Promise<void> {
  for (const table of ['_private_jobs', '_private_job_queues'] as const)
    await pool.query(keepFresh(table), [clock.now()]);
}
