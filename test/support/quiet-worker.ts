/** Workers that do what a test makes them do. */
import type { TaskHandler } from '../../src/engines/jobs/handler.ts';
import { startWorker, type Worker, type WorkerOptions } from '../../src/engines/jobs/worker.ts';
import type { WholeEnvironment } from '../../src/interfaces/server/whole-environment.ts';

/** It does not poll within a test's time, and does not wait for what never ends. */
export function startQuietWorker(
  env: WholeEnvironment,
  handler: TaskHandler,
  options: Partial<WorkerOptions> = {},
): Promise<Worker> {
  return startWorker(env, { handlers: [handler], pollMs: 3_600_000, patienceMs: 10, ...options });
}
