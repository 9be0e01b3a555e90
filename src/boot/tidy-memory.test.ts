/** The memory of a start is given back, and nobody keeps the means to do it again. */
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { tidyMemory } from './tidy-memory.ts';

/** Not held by the stack of the test. */
const leave = (): WeakRef<object>[] => Array.from({ length: 100 }, () => new WeakRef({}));

it('what nobody holds is gone', async () => {
  const left = leave();
  await tidyMemory();
  expect(left.filter((ref) => ref.deref() !== undefined)).toEqual([]);
  expect(runInNewContext('typeof gc')).toBe('undefined');
});
