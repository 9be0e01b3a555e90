/** Every seed that has found a fault of the program, with what it found: the suite runs them all. */

/** What the suite runs of a seed: one round, which is a minute of faults and the time until all has come to rest. */
export const usualMinutes = 1;

interface FoundSeed {
  readonly seed: number;
  readonly minutes: number;
  readonly found: string;
}

export const foundSeeds: readonly FoundSeed[] = [];
