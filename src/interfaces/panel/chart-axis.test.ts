/** The axis of the panel's charts: zero at its foot, whole and round steps, and room for the most. */
import { expect, test } from 'vitest';
import { axisOf } from '../../../web/src/parts/chart-axis.ts';

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [100, [0, 50, 100]],
  [1_234, [0, 500, 1_000, 1_500]],
])('up to %i', (most, steps) => {
  expect(axisOf(most)).toEqual({ top: steps.at(-1), steps });
});
