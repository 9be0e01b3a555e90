/** Runs jobs as they fall due, for a process with the role `worker`. */
import { EventEmitter } from 'node:events';
import { runTaskList, type WorkerEvents } from 'graphile-worker';
import type { Environment } from '../environment.ts';
import { openJobPool, queueLogger } from './connection.ts';
import type { TaskHandler } from './handler.ts';
import { announce, releaseJobsOfTheDead } from './liveness.ts';
import { taskList } from './task-list.ts';

export interface Worker {
  /** Takes no new job, and waits for those that are running. */
  stop(): Promise<void>;
}

export interface WorkerOptions {
  handlers: readonly TaskHandler[];
  /** How many jobs run at once in this process. */
  concurrency?: number;
  /** How often it looks for jobs whose time has come; for new ones it is woken. */
  pollMs?: number;
  /**
   * Takes jobs several at a time, and notes their ends several at a time: for jobs that are over in a moment, where taking
   * one costs the database more than doing it. Not for jobs that wait for others, which would keep what is behind them.
   */
  inBatches?: boolean;
}

/** Jobs taken ahead that no worker here gets to within this are given back to those of other processes. */
const takenAheadMs = 2_000;
const sweepMs = 5_000;
const queueFreeAfterMs = [3, 30];
/** After this a handler that does not end is left behind; its job is run again by another worker. */
const patienceMs = 20_000;

export async function startWorker(env: Environment, options: WorkerOptions): Promise<Worker> {
  const { handlers } = options;
  if (handlers.length === 0) return { stop: async () => undefined };
  const concurrency = options.concurrency ?? 8;
  const pool = openJobPool(env, concurrency + 2);
  await releaseJobsOfTheDead(env.pool);

  let alive: Promise<() => Promise<void>> | null = null;
  const sayAlive: GraphileConfig.Plugin = {
    name: 'TrunklineLivenessPlugin',
    version: '1.0.0',
    worker: {
      hooks: {
        // Before its first job: nobody may find a job locked by a pool that seems dead.
        startWorker: async (_context, { worker }) => {
          alive ??= announce(env.changes, worker.workerPool.id);
          await alive;
        },
      },
    },
  };
  const events: WorkerEvents = new EventEmitter();
  const workers = runTaskList(
    {
      events,
      logger: queueLogger(env),
      noHandleSignals: true,
      concurrency,
      pollInterval: options.pollMs ?? 1_000,
      preset: { plugins: [sayAlive], worker: options.inBatches ? batches(concurrency) : {} },
    },
    taskList(env, handlers),
    pool,
  );
  const ended = workers.promise.catch((error) => env.log.error({ err: error }, 'the worker pool ended with an error'));
  // The queue is free once the job's end is written, a moment after this event; nobody would look before the next poll.
  events.on('job:complete', ({ job }) => {
    if (job.job_queue_id === null) return;
    for (const wait of queueFreeAfterMs) setTimeout(() => nudge(1), wait).unref();
  });
  let stopped = false;
  const nudge = (count: number) => {
    if (!stopped) workers.nudge(count);
  };
  const forgetClock = env.changes.on('clock', () => nudge(concurrency));
  const sweep = setInterval(() => void releaseLeftJobs(env), sweepMs).unref();

  return {
    async stop() {
      stopped = true;
      clearInterval(sweep);
      forgetClock();
      const tooLong = setTimeout(() => {
        Promise.resolve(workers.forcefulShutdown('stopping')).catch(() => undefined);
      }, patienceMs);
      try {
        await Promise.resolve(workers.gracefulShutdown('stopping')).catch(() => undefined);
        await ended;
      } finally {
        clearTimeout(tooLong);
      }
      if (alive !== null) await (await alive)();
      await pool.end();
    },
  };
}

function batches(size: number) {
  return { localQueue: { size, ttl: takenAheadMs }, completeJobBatchDelay: 0 };
}

async function releaseLeftJobs(env: Environment): Promise<void> {
  // While this process is not connected its own lock is gone too, and its own jobs would look left behind.
  if (!env.changes.connected) return;
  try {
    const dead = await releaseJobsOfTheDead(env.pool);
    if (dead > 0) env.log.warn({ workers: dead }, 'gave back the jobs of workers that are gone');
  } catch (error) {
    env.log.warn({ err: error }, 'could not look for jobs of workers that are gone');
  }
}
