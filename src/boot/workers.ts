/** The job workers of one environment. */

import { openJobPool } from '../jobs/connection.ts';
import { startLaneWorker } from '../jobs/lane-worker.ts';
import { startWorker, type Worker } from '../jobs/worker.ts';
import type { WholeEnvironment } from '../server/whole-environment.ts';
import { taskHandlers } from './tasks.ts';

/** Of the workers of jobs that wait for other servers and of those that run where they are added, together. */
const takingConnections = 3;
/** Jobs of this process that run where they are added; the others wait in the queue. Each uses a connection for a moment. */
const mostAddedHere = 4;

/** Adds each to `workers` as it is started, so that those are stopped if a later one fails. */
export async function startWorkers(env: WholeEnvironment, workers: Worker[]): Promise<void> {
  const [outward, inward] = divide(taskHandlers, ({ task }) => task.outward);
  const [codes, others] = divide(outward, ({ task }) => task.priority === 'codes');
  const [addedHere, batches] = divide(inward, ({ task }) => task.runsWhereAdded);
  workers.push(await startWorker(env, { handlers: batches, inBatches: true }));
  const pool = openJobPool(env, takingConnections);
  let users = 0;
  // Codes that wait for a provider have a worker of their own, which no callback can fill.
  for (const options of [{ handlers: codes }, { handlers: others }, { handlers: addedHere, most: mostAddedHere }]) {
    const worker = await startLaneWorker(env, { ...options, pool });
    users += 1;
    workers.push({
      isAlive: () => worker.isAlive(),
      stop: async (abortAfterMs) => {
        await worker.stop(abortAfterMs);
        users -= 1;
        if (users === 0) pool.end().catch(() => undefined);
      },
    });
  }
}

function divide<T>(all: readonly T[], belongs: (one: T) => boolean): [T[], T[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))];
}
