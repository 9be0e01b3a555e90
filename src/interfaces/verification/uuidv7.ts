/**
 * Version 7 UUIDs: 48 bits of time by the given clock, a counter that keeps the order within this process, random bits.
 * By hand: libraries take the machine's time, and the sandbox moves its own.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';

/** Per clock: the sandbox's may run days ahead of production's in the same process. */
const lastOf = new WeakMap<Clock, { ms: number; counter: number }>();

export function uuidv7(clock: Clock): string {
  // Its random digits are taken: Node draws those of many at a time.
  const random = randomUUID();
  const now = clock.now().getTime();
  const last = lastOf.get(clock) ?? { ms: -1, counter: 0 };
  lastOf.set(clock, last);
  // If the clock stands still or goes back, the counter keeps the order: 4,096 ids, then the next millisecond is used.
  if (now > last.ms) {
    last.ms = now;
    last.counter = Number.parseInt(random.slice(0, 3), 16) & 0x3ff;
  } else if (++last.counter > 0xfff) {
    last.ms++;
    last.counter = 0;
  }
  const time = last.ms.toString(16).padStart(12, '0');
  // The last two groups of a random UUID begin with the same variant.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${last.counter.toString(16).padStart(3, '0')}${random.slice(18)}`;
}

/** The smallest id of that millisecond: every id made before it sorts below. */
export function uuidv7Floor(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
