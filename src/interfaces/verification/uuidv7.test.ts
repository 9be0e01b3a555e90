/** Ids that carry the environment's time and keep their order. */
import { expect, it } from 'vitest';
import { FixedClock } from '../../../test/support/fixed-clock.ts';
import { isUuid } from '../../base/uuid.ts';
import { uuidv7, uuidv7Floor } from './uuidv7.ts';

it('carries the time, the version and the variant', () => {
  const id = uuidv7(new FixedClock('2100-01-02T03:04:05.678Z'));
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(Date.UTC(2100, 0, 2, 3, 4, 5, 678));
  expect(isUuid(id)).toBe(true);
});

it('keeps its order while the clock stands still', () => {
  const clock = new FixedClock('2101-01-01T00:00:00Z');
  const ids = Array.from({ length: 10_000 }, () => uuidv7(clock));
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
});

it('gives the floor of a moment', () => {
  const clock = new FixedClock('2102-01-01T00:00:00Z');
  const id = uuidv7(clock);
  expect(uuidv7Floor(clock.now()) <= id).toBe(true);
  clock.advance(1);
  expect(uuidv7Floor(clock.now()) > id).toBe(true);
});
