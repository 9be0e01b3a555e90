/**
 * The time of one call. Its duration is measured by a clock that is never set, so that a step of the machine's does not
 * change it.
 */
import { later, type Moment, momentOf } from '../voice/moment.ts';
import type { SipEndpoint } from './endpoint.ts';

export class CallClock {
  readonly #endpoint: SipEndpoint;
  #connected: { at: Moment; ms: number } | null = null;

  constructor(endpoint: SipEndpoint) {
    this.#endpoint = endpoint;
  }

  get now(): Moment {
    return momentOf(this.#endpoint.env.clock);
  }

  get ms(): number {
    return this.#endpoint.timers.now();
  }

  connected(at: Moment, ms: number): void {
    this.#connected = { at, ms };
  }

  /** The end of a call that ends now, or that ended at `ms` of the timers' clock. */
  endTime(ms = this.ms): Moment {
    if (this.#connected === null) return this.now;
    return later(this.#connected.at, Math.max(0, ms - this.#connected.ms) / 1000);
  }
}
