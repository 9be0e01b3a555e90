/** More looks at the queue while the environment's clock runs faster than the machine's. */
import { type Clock, factorOf } from '../../base/clock.ts';

const lookEveryMs = 100;

/** Calls `look` every tenth of a second as long as the clock has a factor. */
export function whileFast(clock: Clock, look: () => void): { stop(): void } {
  const timer = setInterval(() => {
    if (factorOf(clock) > 1) look();
  }, lookEveryMs).unref();
  return { stop: () => clearInterval(timer) };
}
