/** Admission control: refuses new calls with 503 before they cost anything, so that those in progress keep their time. */
import type { Timers } from './timers.ts';
import { type Rate, TokenBucket } from './token-bucket.ts';

export interface AdmissionLimits {
  /** New calls. */
  rate: Rate;
  /** Calls that are being set up: neither answered nor ended. */
  mostInSetup: number;
  /** How late the event loop may run, in milliseconds; a last resort, because a full kernel buffer does not show here. */
  mostLagMs: number;
}

export type Refusal = 'rate' | 'setup' | 'lag';

export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #bucket: TokenBucket;
  readonly #lagMs: () => number;
  #inSetup = 0;
  readonly refused: Record<Refusal, number> = { rate: 0, setup: 0, lag: 0 };

  constructor(limits: AdmissionLimits, timers: Timers, lagMs: () => number = () => 0) {
    this.#limits = limits;
    this.#bucket = new TokenBucket(limits.rate, timers);
    this.#lagMs = lagMs;
  }

  get inSetup(): number {
    return this.#inSetup;
  }

  /** Null admits a call, which must be `released` when it is answered or ended; else why it is refused. */
  admit(): Refusal | null {
    const refusal = this.#refusal();
    if (refusal === null) this.#inSetup++;
    else this.refused[refusal]++;
    return refusal;
  }

  release(): void {
    this.#inSetup = Math.max(0, this.#inSetup - 1);
  }

  /** Seconds for Retry-After: a rate recovers at once, calls in setup take a little. */
  retryAfter(refusal: Refusal): number {
    return refusal === 'rate' ? 1 : 2;
  }

  #refusal(): Refusal | null {
    if (this.#inSetup >= this.#limits.mostInSetup) return 'setup';
    if (this.#lagMs() > this.#limits.mostLagMs) return 'lag';
    return this.#bucket.take() ? null : 'rate';
  }
}
