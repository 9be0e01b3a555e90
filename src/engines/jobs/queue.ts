/**
 * Adds jobs in the caller's transaction, due by the environment's clock, and stops jobs
 * that keep planning themselves without moving on in time.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import type { Schema } from '../db/schema.ts';
import { inSpan } from '../tracing.ts';
import { Lanes } from './lanes.ts';
import type { Taker } from './taker.ts';
import { type JobPayload, priorityOf, type Task } from './task.ts';

export function createJobs(clock: Clock, log: Pick<Logger, 'error'>): Jobs {
  const selfPlanning = new SelfPlanning(log);
  return {
    lanes: new Lanes(),
    takers: new Set(),
    planned: new Map(),
    async add(trx, task, payload, { at: wanted = null, key = null, lanes = null, maxAttempts = null } = {}) {
      const text = JSON.stringify(payload);
      const now = clock.now();
      const at = selfPlanning.dueAt(task, payload, wanted, now);
      const { name } = task;
      const priority = priorityOf(task);
      if (key !== null && at !== null && lanes === null && maxAttempts === null && text === '{}') {
        await sql`select queue_keyed_job(${name}, ${key}, ${now}, ${at}, ${priority})`.execute(trx);
        return;
      }
      await sql`
        select queue_job(
          ${name}, ${text}::json, ${now}, ${at}, ${maxAttempts}, ${priority},
          key => ${key}::text, lanes => ${lanes}::text[])`.execute(trx);
    },
  };
}

const running = new AsyncLocalStorage<string>();
const slowestSeconds = 3_600;

const identity = (task: Task, payload: JobPayload): string => `${task.name} ${JSON.stringify(payload)}`;

/** Runs a handler so that jobs it adds can be recognised as its own. */
export function asJob<T>(task: Task, payload: JobPayload, run: () => Promise<T>): Promise<T> {
  return running.run(identity(task, payload), () => inSpan('job', task.name, {}, run));
}

class SelfPlanning {
  readonly #log: Pick<Logger, 'error'>;
  /** How often in a row a job planned itself; holds only such jobs. */
  readonly #circles = new Map<string, number>();

  constructor(log: Pick<Logger, 'error'>) {
    this.#log = log;
  }

  /** Returns when a job falls due: as planned, or later if it planned itself for a time that is not after now. */
  dueAt(task: Task, payload: JobPayload, at: Date | null, now: Date): Date | null {
    const self = identity(task, payload);
    if (running.getStore() !== self) return at;
    if (at !== null && at > now) {
      this.#circles.delete(self);
      return at;
    }
    const times = (this.#circles.get(self) ?? 0) + 1;
    this.#circles.set(self, times);
    const seconds = Math.min(2 ** (times - 1), slowestSeconds);
    this.#log.error(
      { task: task.name, times, seconds },
      'a job planned itself for a moment that is not later than now',
    );
    return new Date(now.getTime() + seconds * 1000);
  }
}

/** Work to be done after the transaction that causes it, at a time by the environment's clock. */
export interface Jobs {
  /** How many jobs that wait for the same other party run at once in this process. */
  readonly lanes: Lanes;
  /** Workers of this process that run jobs where they are added. */
  readonly takers: Set<Taker>;
  /** Task → the key for which this process has planned it last (plan-once.ts). */
  readonly planned: Map<string, string>;
  /** Adds a job inside `trx`, so that it exists exactly when the facts it is about do. */
  add<Payload extends JobPayload>(
    trx: Kysely<Schema> | Transaction<Schema>,
    task: Task<Payload>,
    payload: NoInfer<Payload>,
    options?: JobOptions,
  ): Promise<void>;
}

interface JobOptions {
  /** When it falls due by the environment's clock; at once when left out. */
  at?: Date;
  /** A job with the same key that has not started yet is replaced. */
  key?: string;
  /** Whom the job waits for; the task says how many of a lane run at once. */
  lanes?: readonly string[];
  maxAttempts?: number;
}
