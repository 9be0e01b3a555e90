/** References such as `ABC-123456`: the short names that people use for orders, verifications and emergency services. */
import { randomInt } from 'node:crypto';
import { violatedConstraint } from './violated-constraint.ts';

export const referencePattern = '^[A-Z]{3}-[0-9]{6}$';

export function newReference(): string {
  const letters = Array.from({ length: 3 }, () => String.fromCharCode(65 + randomInt(26))).join('');
  return `${letters}-${String(randomInt(1_000_000)).padStart(6, '0')}`;
}

/** Repeats `attempt`, which inserts a row with a new reference, while that reference is already taken. */
export async function withFreeReference<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!violatedConstraint(error)?.endsWith('_reference_key')) throw error;
    }
  }
}
