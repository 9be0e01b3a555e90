/**
 * Keeps a long stream's memory small. The buffers it has used up lie outside the heap, so the collector sees no reason to
 * look for them before tens of MiB have piled up; and what the process did before may have left it a wide heap.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface Collector {
  /** Among what is young: about a millisecond. */
  young(): void;
  /** Everything, and gives back to the machine what is free: some tens of milliseconds. */
  all(): void;
}

export function createCollector(): Collector {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this runtime lets nobody collect garbage');
  return {
    young: () => collect({ type: 'minor' }),
    all: () => collect({ type: 'major', flavor: 'last-resort' }),
  };
}
