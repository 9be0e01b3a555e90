/**
 * Long loops of one process are cut into slices: between two of them everybody else gets a turn, so that no request
 * waits for more than a few milliseconds of another's work.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Of small work: reading a row, checking an entry. */
export const sliceLength = 200;

export async function inSlices<T>(items: readonly T[], work: (item: T, index: number) => void): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % sliceLength === 0) await nextTurn();
    work(item, index);
  }
}
