/**
 * One run of the queue's worker pool (graphile-worker). The library ends such a pool for good when it cannot write how a
 * job ended, and then no longer keeps its promises; from that moment on this file does the bookkeeping for the jobs that
 * are still running, and worker.ts starts the next generation.
 */
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { runTaskList, type TaskList, type WorkerEvents } from 'graphile-worker';
import { isReadOnlySql } from '../db/read-only.ts';
import { isUnavailable } from '../db/unavailable.ts';
import type { Environment } from '../environment.ts';
import { openJobPool, queueLogger } from './connection.ts';
import type { TaskHandler } from './handler.ts';
import { announce, completeJob, releaseJobsOf } from './liveness.ts';
import { taskList } from './task-list.ts';

interface GenerationOptions {
  readonly handlers: readonly TaskHandler[];
  readonly concurrency: number;
  readonly pollMs: number;
  /** Takes and completes jobs several at a time. */
  readonly inBatches: boolean;
  /** Handed to the handlers; aborted when the process cannot wait for them any longer. */
  readonly signal: AbortSignal;
}

export interface Generation {
  /** Resolves when it takes no more jobs, for whatever reason. */
  readonly over: Promise<void>;
  /** Wakes workers that wait for their next poll. */
  nudge(count: number): void;
  /** Takes no more jobs. */
  end(): void;
  /** After `end`: waits for the handlers that are still running, then gives back every job that is left. */
  close(patienceMs: number): Promise<void>;
}

/** Jobs taken ahead that no worker here gets to within this are given back to those of other processes. */
const takenAheadMs = 2_000;
/** Pauses of a job that runs again because the database was away. */
const outagePausesMs = [100, 300, 1_000, 2_000, 4_000];
/** How long the library may take to write the ends it knows of, and to give back what it has taken ahead. */
const returnJobsMs = 300;

/** One listens, the others take jobs and write their ends; the work of jobs uses the connections of the environment. */
const queueConnections = 3;

export async function startGeneration(env: Environment, options: GenerationOptions): Promise<Generation> {
  await requireWritable(env);
  const { concurrency, inBatches } = options;
  const announced = Promise.withResolvers<void>();
  announced.promise.catch(() => undefined);
  // Use no connection before that: other processes would take a pool that is not announced for dead, and release its jobs.
  const pool = openJobPool(env, queueConnections, { ready: announced.promise, isOver: () => isOver });
  const events: WorkerEvents = new EventEmitter();
  const running = new Set<string>();
  const over = Promise.withResolvers<void>();
  let isOver = false;
  let forget: () => Promise<void> = async () => undefined;

  const workers = runTaskList(
    {
      events,
      logger: queueLogger(env),
      noHandleSignals: true,
      concurrency,
      pollInterval: options.pollMs,
      preset: {
        plugins: [],
        worker: {
          // Without batches, a failure to write a job's end would be an unhandled rejection inside the library; see also connection.ts.
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          ...(inBatches ? { localQueue: { size: concurrency, ttl: takenAheadMs } } : {}),
        },
      },
    },
    guarded(taskList(env, options.handlers, options.signal)),
    pool,
  );
  const poolId = workers.id;
  const begin = () => {
    isOver = true;
    over.resolve();
  };
  events.on('pool:gracefulShutdown', begin);
  events.on('pool:forcefulShutdown', begin);
  const settled = workers.promise.then(begin, (error: unknown) => {
    env.log.error({ err: error }, 'the worker pool ended with an error');
    begin();
  });
  const watch = watchFetches(events, options, () => running.size < concurrency);
  watch.stalled.then(() => {
    if (!isOver) env.log.warn('no jobs could be fetched for a while');
    generation.end();
  });

  function guarded(list: TaskList): TaskList {
    return Object.fromEntries(
      Object.entries(list).map(([name, task]): [string, TaskList[string]] => [
        name,
        async (payload, helpers) => {
          const { id } = helpers.job;
          running.add(id);
          try {
            await throughOutage(
              async () => task?.(payload, helpers),
              () => isOver || options.signal.aborted,
            );
            // Once the pool has ended the library no longer writes ends; a job that cannot be completed here runs again.
            if (isOver) await completeJob(env.pool, poolId, id).catch(() => undefined);
          } catch (error) {
            if (!isOver) throw error;
            env.log.warn({ err: error, task: name, job: id }, 'a job failed while its workers were ending');
          } finally {
            running.delete(id);
          }
          // The worker that ran it is left behind with its pool.
          if (isOver) await new Promise<never>(() => undefined);
        },
      ]),
    );
  }

  const generation: Generation = {
    over: over.promise,
    nudge: (count) => {
      if (!isOver) workers.nudge(count);
    },
    end() {
      if (!isOver) Promise.resolve(workers.gracefulShutdown('ending')).catch(() => undefined);
      begin();
    },
    async close(patienceMs) {
      /** Whether the database has heard it. */
      const left = () =>
        releaseJobsOf(env.pool, poolId, [...running]).then(
          () => true,
          () => false,
        );
      watch.stop();
      await Promise.race([settled, sleep(returnJobsMs, undefined, { ref: false })]);
      let areGivenBack = await left();
      const deadline = performance.now() + patienceMs;
      while (running.size > 0 && performance.now() < deadline) {
        await sleep(areGivenBack ? 20 : 200);
        areGivenBack ||= await left();
      }
      running.clear();
      // The library keeps them in a cache that it never empties.
      events.removeAllListeners();
      pool.end().catch(() => undefined);
      await left();
      await forget().catch(() => undefined);
    },
  };
  try {
    forget = await announce(env.changes, poolId);
    announced.resolve();
  } catch (error) {
    announced.reject(error);
    generation.end();
    await generation.close(0);
    throw error;
  }
  return generation;
}

async function requireWritable(env: Environment): Promise<void> {
  const [row] = await env.changes.query<{ read_only: boolean }>(`select ${isReadOnlySql} as read_only`);
  if (row?.read_only === true) throw new Error('the database is read-only');
}

/**
 * The library remembers for ever when its first look at the queue has failed, and after some failures sleeps for minutes:
 * workers that could fetch jobs and have not done so for this long are replaced.
 */
const stalledMs = 4_000;

function watchFetches(events: WorkerEvents, { pollMs }: GenerationOptions, isIdle: () => boolean) {
  const stalled = Promise.withResolvers<void>();
  let fetchedAt = performance.now();
  const fetched = () => {
    fetchedAt = performance.now();
  };
  events.on('localQueue:getJobs:complete', fetched);
  events.on('worker:getJob:empty', fetched);
  events.on('job:start', fetched);
  events.on('job:complete', fetched);
  const timer = setInterval(() => {
    if (isIdle() && performance.now() - fetchedAt > pollMs + stalledMs) stalled.resolve();
  }, 500).unref();
  return { stalled: stalled.promise, stop: () => clearInterval(timer) };
}

/**
 * A job that failed because the database was away runs again soon. The queue would let it wait longer after every attempt,
 * minutes in the end, although nothing is wrong with it; and attempts are also used up by jobs taken ahead and given back.
 */
async function throughOutage(run: () => Promise<unknown>, isEnding: () => boolean): Promise<void> {
  for (const pause of outagePausesMs) {
    try {
      await run();
      return;
    } catch (error) {
      if (isEnding() || !isUnavailable(error)) throw error;
      await sleep(pause);
    }
  }
  await run();
}
