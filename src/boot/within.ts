/** A limit for what may hang. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Fails when the work has not ended in time; the work itself goes on. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = new AbortController();
  const timeout = sleep(ms, undefined, { signal: late.signal }).then(() => {
    throw new Error(`it took longer than ${ms} ms`);
  });
  timeout.catch(() => undefined);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    late.abort();
  }
}
