/** A worker that runs jobs where they are added (added-job.ts). */
import type { JobPayload, JobRun, Task } from './task.ts';

export interface AddedJob<Payload extends JobPayload> {
  id: string;
  payload: Payload;
  dueAt: Date;
  /** The first run, which may use what the caller knows; the task's handler does the others. */
  run(context: JobRun): Promise<unknown>;
}

export interface Added<Result, Payload extends JobPayload> {
  result: Result;
  /** Null if nothing was added. */
  job: AddedJob<Payload> | null;
}

/** Adds a job and commits. `takenBy` goes to `queue_job`; if it is null the job waits in the queue. */
export type Add<Result, Payload extends JobPayload> = (takenBy: string | null) => Promise<Added<Result, Payload>>;

/** A worker of this process that runs jobs added here. */
export interface Taker {
  /** False if it has no handler for the task, has no room or is stopping. */
  takes(task: Task): boolean;
  addAndStart<Result, Payload extends JobPayload>(task: Task<Payload>, add: Add<Result, Payload>): Promise<Result>;
}
