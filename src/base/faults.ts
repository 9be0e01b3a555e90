/**
 * Errors that no code has handled. A rejected promise that nobody awaited has left nothing half done that a transaction
 * does not undo, so the process goes on. After an exception out of an event handler nothing is certain about the state
 * in memory: the process stops in an orderly way, and whoever supervises it starts it again.
 */
import type { Logger } from 'pino';

type FaultKind = 'unhandled_rejection' | 'uncaught_exception';

/** Since the process started; /metrics shows them. */
export const faultCounts: Record<FaultKind, number> = { unhandled_rejection: 0, uncaught_exception: 0 };

interface Faults {
  /** Resolves when the process should stop. */
  readonly fatal: Promise<Error>;
}

export function watchFaults(log: Pick<Logger, 'error' | 'fatal'>): Faults {
  const fatal = Promise.withResolvers<Error>();
  process.on('unhandledRejection', (reason) => {
    faultCounts.unhandled_rejection += 1;
    log.error({ err: reason }, 'a promise was rejected and nobody handled it');
  });
  process.on('uncaughtException', (error) => {
    faultCounts.uncaught_exception += 1;
    log.fatal({ err: error }, 'an exception was thrown and nobody handled it');
    fatal.resolve(error);
  });
  return { fatal: fatal.promise };
}
