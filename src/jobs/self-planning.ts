/**
 * The guard against jobs that run in a circle: a job that plans the same job again for a moment that is not later than now
 * would run for ever, as fast as the workers can. It is logged as an error, and each time in a row put off for longer.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from 'pino';
import type { JobPayload, Task } from './task.ts';

const running = new AsyncLocalStorage<string>();
const slowestSeconds = 3_600;

const identity = (task: Task, payload: JobPayload): string => `${task.name} ${JSON.stringify(payload)}`;

/** Runs a handler so that what it plans can be told from what others plan. */
export function asJob<T>(task: Task, payload: JobPayload, run: () => Promise<T>): Promise<T> {
  return running.run(identity(task, payload), run);
}

export class SelfPlanning {
  readonly #log: Pick<Logger, 'error'>;
  /** How often in a row; only jobs that are going in circles are in here. */
  readonly #circles = new Map<string, number>();

  constructor(log: Pick<Logger, 'error'>) {
    this.#log = log;
  }

  /** The moment a job is due at: as planned, or later when it has planned itself without moving on. */
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
