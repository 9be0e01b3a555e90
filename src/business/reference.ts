/**
 * References such as `ABC-123456`: the short names that people use for orders, verifications and emergency services.
 */
import { randomInt } from 'node:crypto';
import { violatedConstraint } from '../base/violated-constraint.ts';

export const referencePattern = '^[A-Z]{3}-[0-9]{6}$';

export function newReference(): string {
  const letters = Array.from({ length: 3 }, () => String.fromCharCode(65 + randomInt(26))).join('');
  return `${letters}-${String(randomInt(1_000_000)).padStart(6, '0')}`;
}

/**
 * Repeats `attempt`, which inserts a row with a new reference, while that reference is already taken. A part of a
 * larger transaction cannot be repeated alone: who began that repeats all of it.
 */
export async function withFreeReference<T>(
  { isTransaction }: { readonly isTransaction: boolean },
  attempt: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (isTransaction || !violatedConstraint(error)?.endsWith('_reference_key')) throw error;
    }
  }
}
