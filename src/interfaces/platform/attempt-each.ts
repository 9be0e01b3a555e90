/** Runs an action for each of many records; one that fails does not stop the others. */
import type { Logger } from 'pino';
import { DatabaseBusy, isHeldUp, isUnavailable } from '../../engines/db/unavailable.ts';

interface Attempts {
  log: Pick<Logger, 'error'>;
  /** Aborted when the process begins to stop: then it throws between two records. */
  stopping: AbortSignal;
}

/** Records that could not be settled. */
export interface Unsettled {
  failed: string[];
  /** Another transaction holds what they need; nothing is wrong with them. */
  heldUp: string[];
}

/** Throws if the database is away: no other record would do better. */
export async function attemptEach(
  ids: readonly string[],
  { log, stopping }: Attempts,
  act: (id: string) => Promise<void>,
): Promise<Unsettled> {
  const unsettled: Unsettled = { failed: [], heldUp: [] };
  for (const id of ids) {
    stopping.throwIfAborted();
    try {
      await act(id);
    } catch (error) {
      if (isHeldUp(error)) unsettled.heldUp.push(id);
      else if (isUnavailable(error)) throw error;
      else {
        log.error({ err: error, id }, 'a record could not be settled; it is tried again');
        unsettled.failed.push(id);
      }
    }
  }
  return unsettled;
}

/** Throws at the end of a job if anything is left, so that it runs again. */
export function throwIfUnsettled({ failed, heldUp }: Unsettled, what: string): void {
  if (failed.length > 0) throw new Error(`${failed.length} ${what} could not be settled`);
  if (heldUp.length > 0) throw new DatabaseBusy(`other transactions hold ${heldUp.length} ${what}`);
}
