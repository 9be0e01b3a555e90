/** How long events and lanes wait after failures. */
import { expect, test } from 'vitest';
import { laneWait, waitAfter } from './queue.ts';

test('an event is tried again after 1 s, 5 s, 30 s, 2 min, 10 min, then hourly for a day', () => {
  const waits = Array.from({ length: 30 }, (_, index) => waitAfter(index + 1));
  expect(waits).toEqual([1, 5, 30, 120, 600, ...Array(24).fill(3600), null]);
});

test('a lane never waits longer than its event would', () => {
  for (let failures = 1; failures < 30; failures++) {
    expect(laneWait(failures)).toBeLessThanOrEqual(Math.min(waitAfter(failures) ?? 0, 60));
  }
});
