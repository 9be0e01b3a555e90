/** Writes the end of a call, again and again until the database takes it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../../engines/db/unavailable.ts';
import type { Environment } from '../../engines/environment.ts';

/** Time between two attempts while the database is away. */
const retryMs = 500;
/** If something else prevents it, the time doubles up to this. */
const longestRetryMs = 60_000;

/** Gives up with the process only: a call that stays open holds its channel, and would be charged until then. */
export async function untilWritten<T>(env: Environment, callId: string, write: () => Promise<T>): Promise<T> {
  for (let pauseMs = retryMs; ; ) {
    try {
      return await write();
    } catch (error) {
      if (env.pool.ending) throw error;
      if (!isUnavailable(error)) {
        env.log.error({ err: error, call: callId }, 'the end of a call could not be written; it is tried again');
        pauseMs = Math.min(pauseMs * 2, longestRetryMs);
      }
      await sleep(pauseMs, undefined, { ref: false });
    }
  }
}
