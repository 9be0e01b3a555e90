/** The axis of a chart of counts: round steps from zero to above the most. */

const roundSteps = [1, 2, 5, 10];
const mostSteps = 4;

/** Counts are whole, so a chart of nothing still has a step from 0 to 1, and its bars are where zero is. */
export function axisOf(most: number): { top: number; steps: readonly number[] } {
  const rough = Math.max(1, most / mostSteps);
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = size * (roundSteps.find((each) => each * size >= rough) ?? 10);
  const count = Math.max(1, Math.ceil(most / step));
  return { top: step * count, steps: Array.from({ length: count + 1 }, (_, index) => index * step) };
}
