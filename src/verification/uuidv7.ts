/** Version 7 UUIDs: 48 bits of time by the given clock, a counter that keeps the order within this process, random bits. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';

/** Per clock: the sandbox's may run days ahead of production's in the same process. */
const lastOf = new WeakMap<Clock, { ms: number; counter: number }>();

export function uuidv7(clock: Clock): string {
  const bytes = randomBytes(16);
  const now = clock.now().getTime();
  const last = lastOf.get(clock) ?? { ms: -1, counter: 0 };
  lastOf.set(clock, last);
  // If the clock stands still or goes back, the counter keeps the order: 4,096 ids, then the next millisecond is used.
  if (now > last.ms) {
    last.ms = now;
    last.counter = bytes.readUInt16BE(6) & 0x3ff;
  } else if (++last.counter > 0xfff) {
    last.ms++;
    last.counter = 0;
  }
  bytes.writeUIntBE(last.ms, 0, 6);
  bytes.writeUInt16BE(0x7000 | last.counter, 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The smallest id of that millisecond: every id made before it sorts below. */
export function uuidv7Floor(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
