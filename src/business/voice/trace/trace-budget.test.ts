/** How much may be kept at once, for each account and in all. */
import { expect, test } from 'vitest';
import { TraceBudget } from './trace-budget.ts';

const startMany = (budget: TraceBudget, account: string, count: number, nowMs: number): number =>
  Array.from({ length: count }, () => budget.take(account, nowMs)).filter(Boolean).length;

test('a busy account gets its share of a second, and others still get theirs', () => {
  const budget = new TraceBudget();
  expect(startMany(budget, 'busy', 100, 0)).toBe(10);
  expect(startMany(budget, 'quiet', 3, 500)).toBe(3);
  expect(startMany(budget, 'busy', 100, 1_000)).toBe(10);
});

test('an account that holds calls does not take all the memory', () => {
  const budget = new TraceBudget();
  let held = 0;
  for (let second = 0; second < 200; second += 1) held += startMany(budget, 'hoarder', 10, second * 1_000);
  expect(held).toBe(1_000);
  expect(budget.take('quiet', 300_000)).toBe(true);
  budget.release('hoarder');
  expect(budget.take('hoarder', 301_000)).toBe(true);
  expect(budget.take('hoarder', 302_000)).toBe(false);
});
