/** Every seed that has found a fault of the program, with what it found: the suite runs them all. */

/** What the suite runs of a seed, in minutes of virtual time. */
export const usualMinutes = 10;

interface FoundSeed {
  readonly seed: number;
  readonly minutes: number;
  readonly found: string;
}

export const foundSeeds: readonly FoundSeed[] = [];
