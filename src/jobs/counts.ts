/** How long the queue is, for the metrics. */
import type { Environment } from '../environment.ts';

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
