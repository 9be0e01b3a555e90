/** The job workers of one environment. */

import { openJobPool } from '../../engines/jobs/connection.ts';
import { watchForTheDead } from '../../engines/jobs/liveness.ts';
import { startWorker, type Worker } from '../../engines/jobs/worker.ts';
import type { WholeEnvironment } from '../../interfaces/server/whole-environment.ts';
import { taskHandlers } from './tasks.ts';

/** For taking jobs and writing their ends, of all workers together. */
const takingConnections = 4;
/** Jobs that run where they are added, on few connections: orders are completed together. The others are queued. */
const mostAddedHere = 64;
/** Jobs that are worked off inside: each holds a connection of the environment, which requests need too. */
const mostInward = 8;

/** Adds each to `workers` as it is started, so that those are stopped if a later one fails. */
export async function startWorkers(env: WholeEnvironment, workers: Worker[]): Promise<void> {
  const [outward, inward] = divide(taskHandlers, ({ task }) => task.outward);
  const [codes, others] = divide(outward, ({ task }) => task.priority === 'codes');
  const [addedHere, plain] = divide(inward, ({ task }) => task.runsWhereAdded);
  const pool = openJobPool(env, takingConnections);
  const stopWatching = watchForTheDead(env);
  let users = 0;
  // Codes that wait for a provider have a worker of their own, which no callback can fill.
  for (const options of [
    { handlers: plain, most: mostInward, patienceMs: 20_000 },
    { handlers: codes },
    { handlers: others },
    { handlers: addedHere, most: mostAddedHere },
  ]) {
    const worker = await startWorker(env, { ...options, pool });
    users += 1;
    workers.push({
      isAlive: () => worker.isAlive(),
      stop: async (abortAfterMs) => {
        await worker.stop(abortAfterMs);
        users -= 1;
        if (users > 0) return;
        stopWatching();
        pool.end().catch(() => undefined);
      },
    });
  }
}

function divide<T>(all: readonly T[], belongs: (one: T) => boolean): [T[], T[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))];
}
