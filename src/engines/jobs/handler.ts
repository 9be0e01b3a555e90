/** The code that runs a task's jobs. */
import type { JobEnvironment } from './environment.ts';
import type { JobPayload, JobRun, Task } from './task.ts';

export interface TaskContext<Env = JobEnvironment> extends JobRun {
  readonly env: Env;
}

/** `Env` is what the handler asks for of the environment that its worker gives it. */
export interface TaskHandler<Env = JobEnvironment> {
  readonly task: Task;
  run(payload: JobPayload, context: TaskContext<Env>): Promise<void>;
  /**
   * Adds a job for work that is due now and has none, because it is usually found in another way. Returns how many.
   * Asked by an advance of the clock, which waits for jobs and for nothing else.
   */
  collect?(env: Env): Promise<number>;
}

/** Jobs run at least once: a handler that throws, or whose process is killed, is run again later. */
export function handle<Payload extends JobPayload, Env = JobEnvironment>(
  task: Task<Payload>,
  run: (payload: Payload, context: TaskContext<Env>) => Promise<void>,
  options: Pick<TaskHandler<Env>, 'collect'> = {},
): TaskHandler<Env> {
  // `Jobs.add` lets nothing else be stored for this task.
  return { ...options, task, run: (payload, context) => run(payload as Payload, context) };
}
