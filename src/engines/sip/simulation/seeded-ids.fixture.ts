/** Ids of a simulation: unique, and the same for the same seed. */
import type { IdSource } from '../ids.ts';
import type { SeededRandom } from './seeded-random.fixture.ts';

export class SeededIds implements IdSource {
  readonly #random: SeededRandom;
  #count = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  next(): string {
    return `${(++this.#count).toString(36)}-${this.#random.below(0xffff_ffff).toString(36)}`;
  }
}
