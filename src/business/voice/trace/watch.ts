/** Follows the calls of all processes as they happen, by notifications of the database. */
import { once } from 'node:events';
import type { Environment } from '../../../engines/environment.ts';
import { lastPart, readParts, type TracePart, type TraceSearch } from './read-traces.ts';

/** Processes write side by side: a part may become visible after one with a higher number. */
const overlap = 1_000;
/** Looks without a notification from time to time, in case one was missed. */
const pollMs = 2_000;

/** Calls `show` with every part that is written after `started` was called, once, until `signal` is aborted. */
export async function watchCalls(
  env: Environment,
  search: TraceSearch,
  show: (part: TracePart) => void,
  signal: AbortSignal,
  started: () => void = () => undefined,
): Promise<void> {
  const start = await lastPart(env);
  started();
  const shown = new Set<number>();
  let newest = start;
  const look = async () => {
    for (const part of await readParts(env, search, Math.max(start, newest - overlap))) {
      if (shown.has(part.seq)) continue;
      shown.add(part.seq);
      newest = Math.max(newest, part.seq);
      show(part);
    }
    for (const seq of shown) if (seq < newest - overlap) shown.delete(seq);
  };
  let turn: Promise<void> = Promise.resolve();
  const lookInTurn = () => {
    turn = turn.then(look).catch((error) => env.log.warn({ err: error }, 'calls could not be read'));
  };
  const stopListening = env.changes.on('call_trace', lookInTurn);
  const timer = setInterval(lookInTurn, pollMs);
  lookInTurn();
  if (!signal.aborted) await once(signal, 'abort');
  clearInterval(timer);
  stopListening();
  await turn;
}
