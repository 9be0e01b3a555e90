/**
 * Ids of seeded records: the same entry of the same account gets the same id, so that a second run finds what exists.
 */
import { hash } from 'node:crypto';
import { nameBasedId } from '../../business/catalogue/ids.ts';

/** Tells equal entries of one list apart. */
export class SeedIds {
  readonly #accountId: string;
  readonly #seen = new Map<string, number>();

  constructor(accountId: string) {
    this.#accountId = accountId;
  }

  of(kind: string, entry: object): string {
    const text = `${kind} ${JSON.stringify(entry)}`;
    const times = this.#seen.get(text) ?? 0;
    this.#seen.set(text, times + 1);
    return nameBasedId('seed', this.#accountId, hash('sha256', text), String(times));
  }
}
