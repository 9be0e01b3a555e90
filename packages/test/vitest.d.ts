/** Types of the Vitest fixtures. */
import type { StartOptions, Trunkline, World } from './index.js';

/** `base` is Vitest's `test`; the result is the same with the fixtures `trunkline` and `world`. */
export function trunklineTest<Base extends { extend(fixtures: object): unknown }>(
  base: Base,
  options?: StartOptions,
): ((name: string, run: (context: { trunkline: Trunkline; world: World }) => unknown) => void) & Base;
