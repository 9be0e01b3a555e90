/** Gives back the memory that only a start needed: some 20 MiB, which V8 would keep for the objects of requests. */
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What begins with the ready file has ended by then. */
const afterMs = 1_000;

/** One collection of 0.1 s, once in the life of a process. Only this kind of it makes the space of young objects small again. */
export async function tidyMemory(): Promise<void> {
  await pause(afterMs, undefined, { ref: false });
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
