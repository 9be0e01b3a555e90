/** The code that runs a task's jobs. */
import type { Environment } from '../environment.ts';
import type { JobPayload, Task } from './task.ts';

export interface TaskContext {
  readonly env: Environment;
  /** When the job fell due; `env.clock.now()` is never before it. */
  readonly dueAt: Date;
  /** 1 the first time. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Aborted when the process stops and cannot wait any longer. */
  readonly signal: AbortSignal;
}

export interface TaskHandler {
  readonly task: Task;
  run(payload: JobPayload, context: TaskContext): Promise<void>;
  /**
   * Adds a job for work that is due now and has none, because it is usually found in another way. Returns how many. Asked by
   * an advance of the clock, which waits for jobs and for nothing else.
   */
  collect?(env: Environment): Promise<number>;
}

/** Jobs run at least once: a handler that throws, or whose process is killed, is run again later. */
export function handle<Payload extends JobPayload>(
  task: Task<Payload>,
  run: (payload: Payload, context: TaskContext) => Promise<void>,
  options: Pick<TaskHandler, 'collect'> = {},
): TaskHandler {
  // `Jobs.add` lets nothing else be stored for this task.
  return { ...options, task, run: (payload, context) => run(payload as Payload, context) };
}
