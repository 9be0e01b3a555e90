/** Work of a process that is repeated for as long as it runs. */
import { isUnavailable } from '../../engines/db/unavailable.ts';
import type { Environment } from '../../engines/environment.ts';

export interface Repeated {
  stop(): void;
  /** Resolves when the run in progress, if any, has ended. */
  idle(): Promise<void>;
}

/** Runs `action` periodically, never twice at the same time; errors are logged and the next run tries again. */
export function every(env: Environment, ms: number, what: string, action: () => Promise<void>): Repeated {
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    running = action()
      .catch((error) => {
        // A database that is away, or that closes its connections for a stop, is told of by the probes.
        if (!isUnavailable(error)) env.log.warn({ err: error }, `could not ${what}`);
      })
      .finally(() => {
        isRunning = false;
      });
  }, ms).unref();
  return { stop: () => clearInterval(timer), idle: () => running };
}
