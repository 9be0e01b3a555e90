/** Closing: in the reverse order of opening, and within a time limit for what may hang. */
import { setTimeout as sleep } from 'node:timers/promises';

/** What was opened, to be closed in the opposite order, once, each part whatever becomes of the others. */
interface Stack {
  push(close: () => Promise<void>): void;
  unwind: () => Promise<void>;
}

export function createStack(): Stack {
  const closers: (() => Promise<void>)[] = [];
  return {
    push: (close) => {
      closers.push(close);
    },
    unwind: async () => {
      const failures: unknown[] = [];
      for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
        await close().catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Like Promise.all, but an error comes only when all have ended: nothing is still opening while the rest is closed. */
export async function settleAll<T>(works: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

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
