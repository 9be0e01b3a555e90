/** Admission control: refuses new calls with 503 before they cost anything, so that those in progress keep their time. */
import type { Timers } from './timers.ts';
import { type Rate, TokenBucket } from './token-bucket.ts';

interface AdmissionLimits {
  /** New calls. */
  rate: Rate;
  /** Calls that are being set up: neither answered nor ended. */
  mostInSetup: number;
  /** How long the oldest call may wait for its routing, in milliseconds: beyond that the database or this process cannot keep up. */
  mostWaitMs: number;
}

type Refusal = 'rate' | 'setup' | 'wait';

export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #bucket: TokenBucket;
  readonly #timers: Timers;
  /** When the calls began that still wait for their routing, the oldest first. */
  readonly #waiting = new Set<{ since: number }>();
  #inSetup = 0;
  readonly refused: Record<Refusal, number> = { rate: 0, setup: 0, wait: 0 };

  constructor(limits: AdmissionLimits, timers: Timers) {
    this.#limits = limits;
    this.#timers = timers;
    this.#bucket = new TokenBucket(limits.rate, timers);
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

  /** An admitted call begins to wait for its routing. Returns a function to be called when it is routed or refused. */
  waits(): () => void {
    const wait = { since: this.#timers.now() };
    this.#waiting.add(wait);
    return () => void this.#waiting.delete(wait);
  }

  /** Seconds for Retry-After: a rate recovers at once, calls in setup take a little. */
  retryAfter(refusal: Refusal): number {
    return refusal === 'rate' ? 1 : 2;
  }

  #refusal(): Refusal | null {
    if (this.#inSetup >= this.#limits.mostInSetup) return 'setup';
    const [oldest] = this.#waiting;
    if (oldest && this.#timers.now() - oldest.since > this.#limits.mostWaitMs) return 'wait';
    return this.#bucket.take() ? null : 'rate';
  }
}
