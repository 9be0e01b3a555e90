/** Writes how jobs ended, several at a time: each on its own would be a commit of its own. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EndedJob, JobEnd, StoredJobs, TakenJob } from './stored-jobs.ts';

/** How long ends are collected before they are written. */
const gatherMs = 5;
const retryMs = 500;

export class JobEnds {
  readonly #jobs: Pick<StoredJobs, 'end'>;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #givenUp: AbortSignal;
  #ends: EndedJob[] = [];
  #writing: Promise<boolean> | null = null;

  /** After `givenUp` what cannot be written is not tried again. */
  constructor(jobs: Pick<StoredJobs, 'end'>, log: Pick<Logger, 'warn'>, givenUp: AbortSignal) {
    this.#jobs = jobs;
    this.#log = log;
    this.#givenUp = givenUp;
  }

  /**
   * A job whose end is not written would stay locked for as long as this process lives, so it is tried until it works.
   */
  async write(job: TakenJob, end: JobEnd): Promise<void> {
    const one = { job, end };
    this.#ends.push(one);
    while (this.#ends.includes(one)) {
      this.#writing ??= this.#writeAll().finally(() => {
        this.#writing = null;
      });
      if (await this.#writing) continue;
      if (this.#givenUp.aborted) return;
      await pause(retryMs);
    }
  }

  /** False if the database could not be reached. */
  async #writeAll(): Promise<boolean> {
    await pause(gatherMs);
    const ends = [...this.#ends];
    try {
      await this.#jobs.end(ends);
      this.#ends = this.#ends.filter((one) => !ends.includes(one));
      return true;
    } catch (error) {
      this.#log.warn({ err: error, jobs: ends.length }, 'could not write the ends of jobs');
      return false;
    }
  }
}
