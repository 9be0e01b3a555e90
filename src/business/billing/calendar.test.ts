/** Months later and days of a month. */
import { describe, expect, test } from 'vitest';
import { dayAfter, dayBefore, daysBetween, endOfPeriods, monthsLater, startOf } from './calendar.ts';

describe('months later', () => {
  test.each([
    ['2026-06-15', 1, '2026-07-15'],
    ['2026-01-31', 1, '2026-02-28'],
    ['2028-01-31', 1, '2028-02-29'],
    ['2026-12-31', 2, '2027-02-28'],
    ['2026-03-31', -1, '2026-02-28'],
    ['2026-01-15', -1, '2025-12-15'],
  ])('%s + %i is %s', (day, months, expected) => {
    expect(monthsLater(day, months)).toBe(expected);
  });

  test('a wanted day that a short month lacked comes back in a longer one', () => {
    expect(monthsLater('2026-02-28', 1, 31)).toBe('2026-03-31');
  });
});

test('periods count from their start, so that a short month shortens nothing after it', () => {
  const since = new Date('2026-01-31T08:30:00.125Z');
  expect([1, 2, 3].map((n) => endOfPeriods(since, n).toISOString())).toEqual([
    '2026-02-28T08:30:00.125Z',
    '2026-03-31T08:30:00.125Z',
    '2026-04-30T08:30:00.125Z',
  ]);
});

test("the days of the contract's check value", () => {
  expect(daysBetween('2018-12-28', '2019-01-21')).toBe(24);
  expect(daysBetween(monthsLater('2019-01-21', -1), '2019-01-21')).toBe(31);
  expect(dayBefore('2019-01-21')).toBe('2019-01-20');
  expect(dayAfter('2026-02-28')).toBe('2026-03-01');
  expect(startOf('2026-06-15').toISOString()).toBe('2026-06-15T00:00:00.000Z');
});
