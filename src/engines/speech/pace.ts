/** Sends packets one per frame, on a schedule that does not drift. */
import { setTimeout as sleep } from 'node:timers/promises';
import { frameMs } from './rtp.ts';

/** Measures durations; never goes back, and has no relation to the time of day. */
export interface MonotonicClock {
  /** Milliseconds, with a fraction. */
  now(): number;
  /** Waits at least this long, or until the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const machineMonotonicClock: MonotonicClock = {
  now: () => performance.now(),
  wait: async (milliseconds, signal) => {
    await sleep(Math.ceil(milliseconds), undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  },
};

/**
 * Packet n is due n frames after the first, whenever the ones before it were sent: a late timer delays the packets that
 * were due, and no later one. Returns how many were sent, once the last has been played or the signal is aborted. Takes
 * each packet when it is due, so `packets` may be endless.
 */
export async function sendPaced(
  packets: Iterable<Uint8Array>,
  send: (packet: Uint8Array) => void,
  clock: MonotonicClock,
  signal: AbortSignal,
): Promise<number> {
  const remaining = packets[Symbol.iterator]();
  const start = clock.now();
  let next = remaining.next();
  let sent = 0;
  for (;;) {
    const due = Math.floor((clock.now() - start) / frameMs) + 1;
    while (sent < due && !next.done) {
      if (signal.aborted) return sent;
      send(next.value);
      sent += 1;
      next = remaining.next();
    }
    const left = start + sent * frameMs - clock.now();
    if (signal.aborted || (next.done && left <= 0)) return sent;
    await clock.wait(Math.max(0, left), signal);
  }
}
