/**
 * Calls that could not have media: counted, and said in the log, where an operator sees that ports or an engine are
 * missing. What a caller's own description refuses is in the trace of the call only.
 */
import type { Environment } from '../../engines/environment.ts';
import type { Timers } from '../../engines/sip/timers.ts';

export interface MediaProblem {
  readonly code: 488 | 503;
  readonly reason: string;
}

/** A flood of calls makes few lines. */
const quietMs = 10_000;

export class MediaRefusals {
  /** `unavailable`: no port or no engine was free; `description`: the two sides cannot be joined. */
  readonly counts = { unavailable: 0, description: 0 };
  readonly #log: Environment['log'];
  readonly #timers: Timers;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #unlogged = 0;

  constructor(log: Environment['log'], timers: Timers) {
    this.#log = log;
    this.#timers = timers;
  }

  add({ code, reason }: MediaProblem): void {
    if (code === 488) {
      this.counts.description += 1;
      return;
    }
    this.counts.unavailable += 1;
    this.#unlogged += 1;
    if (this.#timers.now() - this.#loggedAt < quietMs) return;
    this.#log.warn({ reason, calls: this.#unlogged }, 'calls are refused with 503, as they cannot have media');
    this.#loggedAt = this.#timers.now();
    this.#unlogged = 0;
  }
}
