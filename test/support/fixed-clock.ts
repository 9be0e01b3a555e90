/** A clock that stands still until a test moves it. */
import { type ClockState, type MovableClock, Turns } from '../../src/base/clock.ts';

export class FixedClock implements MovableClock {
  readonly runs = false;
  readonly factor = 1;
  readonly turns = new Turns();
  readonly #start: Date;
  #now: Date;

  constructor(at: string | Date) {
    this.#start = new Date(at);
    this.#now = this.#start;
  }

  now(): Date {
    return new Date(this.#now);
  }

  machineTime(): Date {
    return this.now();
  }

  /** Not a whole millisecond, as on a real machine: what is cut to milliseconds somewhere must show in tests. */
  microseconds(): number {
    return this.#now.getTime() * 1000 + 437;
  }

  get offsetSeconds(): number {
    return Math.floor((this.#now.getTime() - this.#start.getTime()) / 1000);
  }

  advance(seconds: number): void {
    this.#now = new Date(this.#now.getTime() + seconds * 1000);
  }

  adopt(state: ClockState): void {
    if (state.standsAtMs !== null) this.#now = new Date(state.standsAtMs);
  }
}
