/**
 * Admission control: refuses new calls with 503 before they cost anything, so that those in progress keep their time.
 */
import type { Timers } from './timers.ts';
import { type Rate, TokenBucket } from './token-bucket.ts';

interface AdmissionLimits {
  /** New calls. */
  rate: Rate;
  /** Calls that are being set up: neither answered nor ended. */
  mostInSetup: number;
  /**
   * How long the oldest call may wait for its routing, in milliseconds: beyond that the database or this process cannot
   * keep up.
   */
  mostWaitMs: number;
  /**
   * How long a message may wait before this process reads it, in milliseconds: beyond that its peer soon sends it
   * again.
   */
  mostUnreadMs: number;
}

/**
 * With fewer calls in setup than this it is not calls that keep the process or the database busy: refusing them would
 * not help, and each had better wait for a moment.
 */
const fewInSetup = 50;

type Refusal = 'rate' | 'setup' | 'wait' | 'unread';

export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #bucket: TokenBucket;
  readonly #timers: Timers;
  readonly #unreadMs: () => number;
  /** When the calls began that still wait for their routing, the oldest first. */
  readonly #waiting = new Set<{ since: number }>();
  #inSetup = 0;
  readonly refused: Record<Refusal, number> = { rate: 0, setup: 0, wait: 0, unread: 0 };

  /** `unreadMs` says how long messages wait before they are read. */
  constructor(limits: AdmissionLimits, timers: Timers, unreadMs: () => number = () => 0) {
    this.#limits = limits;
    this.#timers = timers;
    this.#unreadMs = unreadMs;
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
    const lag = this.#inSetup < fewInSetup ? null : this.#lag();
    return lag ?? (this.#bucket.take() ? null : 'rate');
  }

  /** How this process or the database is behind with what was admitted. */
  #lag(): 'unread' | 'wait' | null {
    if (this.#unreadMs() > this.#limits.mostUnreadMs) return 'unread';
    const [oldest] = this.#waiting;
    return oldest && this.#timers.now() - oldest.since > this.#limits.mostWaitMs ? 'wait' : null;
  }
}
