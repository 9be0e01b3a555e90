/** One run of a job that was taken: its handler, in the form in which workers and advances of the clock call it. */
import { type Clock, isMovable } from '../../base/clock.ts';
import { isUnavailable } from '../db/unavailable.ts';
import type { JobEnvironment } from './environment.ts';
import type { TaskHandler } from './handler.ts';
import { LaneFull } from './lanes.ts';
import { asJob } from './queue.ts';
import type { JobEnd, TakenJob } from './stored-jobs.ts';
import type { JobPayload, JobRun } from './task.ts';

interface Run {
  readonly handler: TaskHandler | undefined;
  /** Aborted when its process begins to stop. */
  readonly stopping: AbortSignal;
  /** Aborted when the run is given up; the job is then returned to the queue. */
  readonly signal: AbortSignal;
  /** Instead of the handler. */
  readonly run?: ((context: JobRun) => Promise<unknown>) | undefined;
}

/** Never rejects. */
export async function runJob(
  env: JobEnvironment,
  job: TakenJob,
  { handler, stopping, signal, run }: Run,
): Promise<JobEnd> {
  try {
    if (handler === undefined) throw new Error(`nobody handles ${job.task}`);
    await untilDue(env.clock, job.run_at);
    const payload = asPayload(job.payload);
    const context = { env, dueAt: job.run_at, attempt: job.attempts, maxAttempts: job.max_attempts, stopping, signal };
    await asJob<unknown>(handler.task, payload, () => run?.(context) ?? handler.run(payload, context));
    return { kind: 'done' };
  } catch (error) {
    if (error instanceof LaneFull) return { kind: 'returned', lane: error.lane };
    if (signal.aborted || (stopping.aborted && error === stopping.reason)) return { kind: 'returned', lane: null };
    const isOutage = isUnavailable(error);
    const details = { err: error, task: job.task, job: job.id };
    const isTriedAgain = isOutage && job.attempts < job.max_attempts;
    if (isTriedAgain) env.log.info(details, 'a job could not be done now; it runs again');
    else env.log.error(details, 'a job failed');
    return { kind: 'failed', error: error instanceof Error ? error.message : String(error), isOutage };
  }
}

function asPayload(payload: unknown): JobPayload {
  if (typeof payload !== 'object' || payload === null) throw new TypeError('a job carries an object');
  return { ...payload };
}

/**
 * Jobs are taken by the database's clock. This process may be some milliseconds behind it, or not yet have heard of an
 * advance; a handler that checks whether something has expired must not run before that time.
 */
async function untilDue(clock: Clock, dueAt: Date): Promise<void> {
  if (clock.now() < dueAt && isMovable(clock)) await clock.refresh?.();
  for (let waits = 0; clock.now() < dueAt && waits < 100; waits++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
