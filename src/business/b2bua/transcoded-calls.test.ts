/** How many calls may be transcoded at a time. */
import { expect, test } from 'vitest';
import { TranscodedCalls } from './transcoded-calls.ts';

test('an account has a quarter of what the operator allows, and others have theirs', () => {
  const calls = new TranscodedCalls(8);
  expect(['a1', 'a2', 'a3'].map((id) => calls.take(id, 'a'))).toEqual([true, true, false]);
  expect(calls.take('b1', 'b')).toBe(true);
  expect(calls.take('a1', 'a'), 'asked about again').toBe(true);
  calls.release('a1');
  calls.release('a1');
  expect(['a3', 'a4'].map((id) => calls.take(id, 'a'))).toEqual([true, false]);
  expect([calls.size, calls.count]).toEqual([3, 4]);
});

test('where few are allowed an account has one, and where none are it has none', () => {
  const few = new TranscodedCalls(2);
  expect(['a1', 'a2'].map((id) => few.take(id, 'a'))).toEqual([true, false]);
  expect(new TranscodedCalls(0).take('a1', 'a')).toBe(false);
});
