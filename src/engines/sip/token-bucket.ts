/** A rate with a burst: tokens come back evenly with time, up to the burst. */
import type { Timers } from './timers.ts';

export interface Rate {
  perSecond: number;
  burst: number;
}

export class TokenBucket {
  readonly #rate: Rate;
  readonly #timers: Timers;
  #tokens: number;
  #countedAt: number;

  constructor(rate: Rate, timers: Timers) {
    this.#rate = rate;
    this.#timers = timers;
    this.#tokens = rate.burst;
    this.#countedAt = timers.now();
  }

  /** Takes one token; false when there is none. */
  take(): boolean {
    const now = this.#timers.now();
    const earned = ((now - this.#countedAt) * this.#rate.perSecond) / 1000;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + earned);
    this.#countedAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
