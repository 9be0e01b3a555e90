/** What jobs need while the environment's clock runs faster than the machine's: more looks at the queue, and locks that stay young. */
import { type Clock, factorOf } from '../clock.ts';
import type { Environment } from '../environment.ts';

const lookEveryMs = 100;

/** Calls `look` every tenth of a second as long as the clock has a factor. */
export function whileFast(clock: Clock, look: () => void): { stop(): void } {
  const timer = setInterval(() => {
    if (factorOf(clock) > 1) look();
  }, lookEveryMs).unref();
  return { stop: () => clearInterval(timer) };
}

/** The queue takes a job that was locked four hours ago for abandoned. `$1` is the environment's time. */
export const keepFresh = (table: '_private_jobs' | '_private_job_queues'): string => `
  update graphile_worker.${table} set locked_at = $1
  where id in (select id from graphile_worker.${table} where locked_at is not null for update skip locked)`;

/** The age of the locks of running jobs is to be real time, while the queue measures it by the environment's clock. */
export async function keepLocksFresh({ pool, clock }: Environment): Promise<void> {
  for (const table of ['_private_jobs', '_private_job_queues'] as const)
    await pool.query(keepFresh(table), [clock.now()]);
}
