import type { Environment } from '../../environment.ts';
import { currentKeys } from './key-pairs.ts';

/** Long enough after the start that making keys, which keeps a processor busy for seconds, delays nobody's first request. */
const DELAY_MS = 3_000;

/** Makes the keys of a new environment before anyone asks; who asks earlier waits for them. Answers how to call it off. */
export function prepareKeys(env: Environment): () => void {
  let stopped = false;
  const timer = setTimeout(() => {
    currentKeys(env).catch((error: unknown) => {
      // Whoever needs them next makes them then.
      if (!stopped) env.log.warn({ err: error }, 'file encryption keys could not be made');
    });
  }, DELAY_MS).unref();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
