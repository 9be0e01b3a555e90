/** Telling a server that is silent from a process that had no time to listen. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * What `work` comes to; fails, after `silent`, if it takes longer than that. What has arrived by then counts, also if
 * this process was too busy to read it: timers fire before a turn of the event loop reads its sockets.
 */
export async function unlessSilent<T>(
  work: Promise<T>,
  longestMs: number,
  silent: (error: Error) => void = () => undefined,
): Promise<T> {
  let answered = false;
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(async () => {
    await nextTurn();
    await nextTurn();
    if (answered) return;
    const error = new Error(`Query read timeout: the database was silent for ${longestMs / 1_000} s`);
    silent(error);
    reject(error);
  }, longestMs).unref();
  try {
    return await Promise.race([work, promise]);
  } finally {
    answered = true;
    clearTimeout(timer);
  }
}
