/** How long a caller waits for the database: then it is told 503, whatever the database does later. */
import { DatabaseBusy } from '../../engines/db/unavailable.ts';
import type { Timers } from '../../engines/sip/timers.ts';
import type { Disconnect } from '../voice/call.ts';

/** How a call ends that the database took too late, or that it did not keep paid. */
export const databaseAway: Disconnect = { code: 503, reason: 'The database is away', initiator: 'switch' };

export const mostWaitMs = 1_800;

/** Rejects with `DatabaseBusy` if the work is not done in time; the work itself goes on. */
export function inTime<T>(timers: Timers, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = timers.after(mostWaitMs, () => reject(new DatabaseBusy('the database does not respond')), undefined);
    work.then(resolve, reject).finally(() => timer.close());
  });
}
