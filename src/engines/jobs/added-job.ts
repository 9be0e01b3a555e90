/**
 * Jobs that run in the process that adds them. Such a job is stored as taken by this process's own worker and started
 * as soon as it is committed: no worker has to be notified, look for it and take it. It is a job like any other all the
 * same. When it fails it is retried, and when the process is killed another one gets it (liveness.ts).
 */
import type { JobEnvironment } from './environment.ts';
import type { Add, Taker } from './taker.ts';
import type { JobPayload, Task } from './task.ts';

type WithJobs = Pick<JobEnvironment, 'jobs'>;

/** The returned function withdraws the offer. */
export function offerToTake({ jobs }: WithJobs, taker: Taker): () => void {
  jobs.takers.add(taker);
  return () => jobs.takers.delete(taker);
}

export async function addAndRun<Result, Payload extends JobPayload>(
  { jobs }: WithJobs,
  task: Task<Payload>,
  add: Add<Result, NoInfer<Payload>>,
): Promise<Result> {
  const taker = [...jobs.takers].find((one) => one.takes(task));
  if (taker !== undefined) return taker.addAndStart(task, add);
  return (await add(null)).result;
}
