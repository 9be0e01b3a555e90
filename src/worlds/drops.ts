/**
 * Drops the databases of ended worlds, several at a time: PostgreSQL writes a checkpoint for every drop, which takes longer than the rest
 * of it, and drops that are asked for together share one.
 */
export type Drop = () => Promise<void>;

export interface DropTimes {
  /** How many are dropped at a time. */
  readonly together: number;
  /** How long a drop waits for others. */
  readonly waitMs: number;
  /** Beyond these, `add` waits until some are done. */
  readonly mostWaiting: number;
}

const usual: DropTimes = { together: 8, waitMs: 1_000, mostWaiting: 16 };

export class Drops {
  readonly #times: DropTimes;
  readonly #waiting: Drop[] = [];
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #batch: Promise<unknown> = Promise.resolve();

  constructor(times: DropTimes = usual) {
    this.#times = times;
  }

  /** `drop` handles its own failures. Resolves when there is room for another. */
  async add(drop: Drop): Promise<void> {
    const { together, waitMs, mostWaiting } = this.#times;
    this.#waiting.push(drop);
    if (this.#waiting.length >= together) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), waitMs).unref();
    while (this.#waiting.length > mostWaiting) await this.#batch;
  }

  /** Resolves when all that were added are done. */
  async finish(): Promise<void> {
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

  /** Until none is left: those that come meanwhile have waited long enough. */
  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      this.#batch = Promise.all(this.#waiting.splice(0, this.#times.together).map((drop) => drop()));
      await this.#batch;
    }
  }
}
