/**
 * Runs jobs as they fall due, for a process with the role `worker`. It keeps one generation of workers running: when that
 * ends (the database went away while a job's end was to be written, or the connection that holds its lock was lost) the
 * next one is started, as soon as the database can be reached again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { factorOf } from '../clock.ts';
import type { Environment } from '../environment.ts';
import { keepLocksFresh, whileFast } from './fast-clock.ts';
import { type Generation, startGeneration } from './generation.ts';
import type { TaskHandler } from './handler.ts';
import { releaseJobsOfTheDead } from './liveness.ts';

export interface Worker {
  /** Whether jobs are being taken at this moment. */
  isAlive(): boolean;
  /**
   * Takes no new job and waits for those that are running; after `abortAfterMs` their signal is aborted. Jobs that have
   * not ended shortly after that are given back.
   */
  stop(abortAfterMs?: number): Promise<void>;
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

const sweepMs = 5_000;
const restart = { firstMs: 100, slowestMs: 2_000 };
/** How long the handlers of a generation that failed may go on before their jobs are given to others. */
const failedPatienceMs = 90_000;
const abortedPatienceMs = 2_000;

export async function startWorker(env: Environment, options: WorkerOptions): Promise<Worker> {
  const { handlers, concurrency = 8, pollMs = 1_000, inBatches = false } = options;
  if (handlers.length === 0) return { isAlive: () => true, stop: async () => undefined };
  const aborting = new AbortController();
  const closing = new Set<Promise<void>>();
  let stopped = false;
  let current: Generation | null = null;

  const start = async () => {
    await releaseJobsOfTheDead(env.pool);
    return startGeneration(env, { handlers, concurrency, pollMs, inBatches, signal: aborting.signal });
  };
  const close = (generation: Generation, patienceMs: number): Promise<void> => {
    const closed = generation.close(patienceMs).finally(() => closing.delete(closed));
    closing.add(closed);
    return closed;
  };

  async function keepRunning(first: Generation): Promise<void> {
    current = first;
    let waitMs = restart.firstMs;
    while (!stopped) {
      if (current !== null) {
        await current.over;
        if (stopped) return;
        env.log.warn('the workers have ended and are started again');
        close(current, failedPatienceMs).catch(() => undefined);
        current = null;
      }
      await sleep(waitMs, undefined, { ref: false });
      if (stopped) return;
      try {
        const next = await start();
        if (stopped) {
          next.end();
          return await close(next, 0);
        }
        current = next;
        waitMs = restart.firstMs;
        env.log.info('the workers are running again');
      } catch (error) {
        waitMs = Math.min(waitMs * 2, restart.slowestMs);
        env.log.warn({ err: error }, 'the workers could not be started');
      }
    }
  }

  const kept = keepRunning(await start());
  const forgets = [
    // The lock that says that these workers are alive was held by that connection.
    env.changes.onLost(() => current?.end()),
    env.changes.on('clock', () => current?.nudge(concurrency)),
  ];
  const sweep = setInterval(() => void releaseLeftJobs(env), sweepMs).unref();
  const hurry = whileFast(env.clock, () => current?.nudge(concurrency));

  return {
    isAlive: () => current !== null && env.changes.connected,
    async stop(abortAfterMs = 20_000) {
      stopped = true;
      clearInterval(sweep);
      hurry.stop();
      for (const forget of forgets) forget();
      const last = current;
      last?.end();
      const abort = setTimeout(() => aborting.abort(), abortAfterMs);
      if (last !== null) close(last, abortAfterMs + abortedPatienceMs).catch(() => undefined);
      await Promise.race([
        Promise.allSettled([kept, ...closing]),
        sleep(abortAfterMs + 2 * abortedPatienceMs, undefined, { ref: false }),
      ]);
      clearTimeout(abort);
      aborting.abort();
    },
  };
}

async function releaseLeftJobs(env: Environment): Promise<void> {
  // While this process is not connected its own lock is gone too, and its own jobs would look left behind.
  if (!env.changes.connected) return;
  try {
    if (factorOf(env.clock) > 1) await keepLocksFresh(env);
    const dead = await releaseJobsOfTheDead(env.pool);
    if (dead > 0) env.log.warn({ workers: dead }, 'gave back the jobs of workers that are gone');
  } catch (error) {
    env.log.warn({ err: error }, 'could not look for jobs of workers that are gone');
  }
}
