/** Time as one environment sees it. Rule of the house: nothing else asks the machine what time it is. */
export interface Clock {
  now(): Date;
  /** The same time, finer: microseconds since 1970. Left out by clocks that do not know it. */
  microseconds?(): number;
}

/** What an environment's database says about its clock. */
export interface ClockState {
  /** Counts the changes. */
  version: number;
  /** How far it is ahead of the machine's. */
  offsetMs: number;
  /** Set while it is being advanced and stands at one due time after another. */
  standsAtMs: number | null;
  /** How many seconds of it pass in one of the machine's; null: one. */
  factor: number | null;
  /** From which time of the machine on the factor counts. */
  factorSinceMs: number | null;
}

/** Runs work one after another, in the order in which it came. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

/** A clock that an advance of the sandbox can move. */
export interface MovableClock extends Clock {
  /** Whether it runs again by itself after an advance; a test's clock stays where it was put. */
  readonly runs: boolean;
  /** The machine's time that it is based on. */
  machineTime(): Date;
  /** How far it is ahead of the machine's. */
  readonly offsetSeconds: number;
  /** How many seconds of it pass in one of the machine's. */
  readonly factor: number;
  adopt(state: ClockState): void;
  /** Advances of this process run one after another. */
  readonly turns: Turns;
  /** Reads the database, for a process that may not yet have heard of a change it is about to act on. */
  refresh?(): Promise<void>;
}

export function isMovable(clock: Clock): clock is MovableClock {
  return 'adopt' in clock;
}

/** How many seconds of a clock pass in one of the machine's. */
export const factorOf = (clock: Clock): number => (isMovable(clock) ? clock.factor : 1);

/** The machine's own time: production's clock, and the base of the sandbox's. */
export const machineClock: Clock = {
  now: () => new Date(),
  microseconds: () => {
    const millisecond = Date.now();
    const estimate = performance.timeOrigin + performance.now() + correction;
    const held = Math.min(Math.max(estimate, millisecond), millisecond + 0.999);
    correction += held - estimate;
    return millisecond * 1000 + Math.floor((held - millisecond) * 1000);
  },
};

/**
 * What the monotonic clock, which counts finely, has to be set right by. The machine's own time is kept to the
 * millisecond however it is corrected, and as long as that never goes back, neither do the microseconds.
 */
let correction = 0;
