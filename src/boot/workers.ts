/** The job workers of one environment. */
import type { Environment } from '../environment.ts';
import { startOutgoingWorker } from '../jobs/outgoing-worker.ts';
import { startWorker, type Worker } from '../jobs/worker.ts';
import { taskHandlers } from './tasks.ts';

/** Adds each to `workers` as it is started, so that those are stopped if a later one fails. */
export async function startWorkers(env: Environment, workers: Worker[]): Promise<void> {
  const [outward, inward] = divide(taskHandlers, ({ task }) => task.outward);
  const [codes, others] = divide(outward, ({ task }) => task.priority === 'codes');
  workers.push(await startWorker(env, { handlers: inward, inBatches: true }));
  // Codes that wait for a provider have a worker of their own, which no callback can fill.
  for (const handlers of [codes, others]) workers.push(await startOutgoingWorker(env, { handlers }));
}

function divide<T>(all: readonly T[], belongs: (one: T) => boolean): [T[], T[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))];
}
