/**
 * Long loops of one process are cut into slices: between two of them everybody else gets a turn, so that no request
 * waits for more than a few milliseconds of another's work.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Of small work: reading a row, checking an entry. */
export const sliceLength = 200;

export async function inSlices<T>(items: Iterable<T>, work: (item: T, index: number) => void): Promise<void> {
  let index = 0;
  for (const item of items) {
    if (index > 0 && index % sliceLength === 0) await nextTurn();
    work(item, index);
    index += 1;
  }
}

/** Of text that is read through: some hundred lines. */
export const pieceLength = 16_384;

export async function* piecesOf(text: string): AsyncGenerator<string> {
  for (let from = 0; from < text.length; from += pieceLength) {
    if (from > 0) await nextTurn();
    yield text.slice(from, from + pieceLength);
  }
}
