/** Time as one environment sees it. Rule of the house: nothing else asks the machine what time it is. */
export interface Clock {
  now(): Date;
}

/** The machine's own time: production's clock, and the base of the sandbox's. */
export const machineClock: Clock = { now: () => new Date() };

/** A clock that stands still until told otherwise, for tests. */
export class FixedClock implements Clock {
  #now: Date;

  constructor(at: string | Date) {
    this.#now = new Date(at);
  }

  now(): Date {
    return new Date(this.#now);
  }

  advance(seconds: number): void {
    this.#now = new Date(this.#now.getTime() + seconds * 1000);
  }
}
