/**
 * Jobs that run in the process that adds them. Such a job is stored as taken by this process's own worker and started as
 * soon as it is committed: no worker has to be notified, look for it and take it. It is a job like any other all the same.
 * When it fails it is retried, and when the process is killed another one gets it (liveness.ts).
 */
import type { Environment } from '../environment.ts';
import type { TaskContext } from './handler.ts';
import type { JobPayload, Task } from './task.ts';

export interface AddedJob<Payload extends JobPayload> {
  id: string;
  payload: Payload;
  dueAt: Date;
  /** The first run, which may use what the caller knows; the task's handler does the others. */
  run(context: TaskContext): Promise<unknown>;
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

const takers = new WeakMap<Environment, Set<Taker>>();

/** The returned function withdraws the offer. */
export function offerToTake(env: Environment, taker: Taker): () => void {
  const known = takers.get(env) ?? new Set();
  takers.set(env, known.add(taker));
  return () => known.delete(taker);
}

/** Whether a job of this task that is added now would run in this process. */
export const runsHere = (env: Environment, task: Task): boolean =>
  [...(takers.get(env) ?? [])].some((one) => one.takes(task));

export async function addAndRun<Result, Payload extends JobPayload>(
  env: Environment,
  task: Task<Payload>,
  add: Add<Result, NoInfer<Payload>>,
): Promise<Result> {
  const taker = [...(takers.get(env) ?? [])].find((one) => one.takes(task));
  if (taker !== undefined) return taker.addAndStart(task, add);
  return (await add(null)).result;
}
