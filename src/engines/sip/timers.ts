/** Time for the SIP layer: monotonic milliseconds and timers, from the machine or from a simulation. */

export interface Timer {
  /** Cancels it; harmless when it has fired. */
  close(): void;
}

export interface Timers {
  /** Milliseconds of a clock that is never set: only differences mean something. */
  now(): number;
  /** Calls `run(argument)` once after `ms`. The argument saves a closure per message. */
  after<Argument>(ms: number, run: (argument: Argument) => void, argument: Argument): Timer;
}

export const machineTimers: Timers = {
  now: () => performance.now(),
  after: (ms, run, argument) => setTimeout(run, ms, argument),
};
