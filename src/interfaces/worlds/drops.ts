/**
 * Drops the databases of ended worlds, many together. PostgreSQL writes a checkpoint for every drop, which brings every
 * database that was made since the last one to disk: far more work than the drop itself, and none at all for those that
 * are dropped before it.
 */
import { setTimeout as sleep } from 'node:timers/promises';

type Drop = () => Promise<void>;

interface DropTimes {
  /** How many are dropped at a time. */
  readonly together: number;
  /** With so many waiting the drops begin. */
  readonly enough: number;
  /** With fewer they begin when no world was made or ended for this long. */
  readonly quietMs: number;
  /** Beyond these, whoever wants to make another world waits until some are done. */
  readonly mostWaiting: number;
}

const usual: DropTimes = { together: 8, enough: 16, quietMs: 1_000, mostWaiting: 32 };

export class Drops {
  readonly #times: DropTimes;
  readonly #waiting: Drop[] = [];
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #batch: Promise<unknown> = Promise.resolve();

  constructor(times: DropTimes = usual) {
    this.#times = times;
  }

  /** `drop` handles its own failures. */
  add(drop: Drop): void {
    this.#waiting.push(drop);
    if (this.#waiting.length >= this.#times.enough) this.#start();
    else this.postpone();
  }

  /** Resolves when not too many wait. */
  async room(): Promise<void> {
    while (this.#waiting.length > this.#times.mostWaiting) await this.#batch;
  }

  /** Somebody makes worlds, and shall not wait for the checkpoint. */
  postpone(): void {
    if (this.#waiting.length === 0 || this.#running !== null) return;
    if (this.#timer === null) this.#timer = setTimeout(() => this.#start(), this.#times.quietMs).unref();
    else this.#timer.refresh();
  }

  /** Resolves when all that were added are done, or after this time. */
  async finish(patienceMs = 2 ** 31 - 1): Promise<void> {
    const late = new AbortController();
    const timeout = sleep(patienceMs, undefined, { signal: late.signal, ref: false }).catch(() => undefined);
    await Promise.race([this.#all(), timeout]);
    late.abort();
  }

  async #all(): Promise<void> {
    while (this.#waiting.length > 0 || this.#running !== null) {
      this.#start();
      await this.#running;
    }
  }

  #start(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  /** Until none is left: those that come meanwhile cost no further checkpoint worth mentioning. */
  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      this.#batch = Promise.all(this.#waiting.splice(0, this.#times.together).map((drop) => drop()));
      await this.#batch;
    }
  }
}
