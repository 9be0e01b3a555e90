/** Types of the set-up for Jest. */
import type { StartOptions, Trunkline, World } from './index.js';

type Hook = (work: () => unknown, timeoutMs?: number) => void;

/** The hooks are Jest's own, from `@jest/globals`. */
export function useTrunkline(
  hooks: { beforeAll: Hook; afterAll: Hook; beforeEach: Hook; afterEach: Hook },
  options?: StartOptions,
): { trunkline: Trunkline; world: World };
