/** Which database constraint refused a statement, and the error to report for it. */
import { NoResultError } from 'kysely';

/** The name of the violated constraint; null for any other error. */
export function violatedConstraint(error: unknown): string | null {
  return error instanceof Error && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : null;
}

/**
 * Whether rows may have changed since they were read: one that must be there is not, or a constraint (class 23) refused
 * a write.
 */
export function isStaleWrite(error: unknown): boolean {
  if (error instanceof NoResultError) return true;
  return error instanceof Error && 'code' in error && /^23\w{3}$/.test(String(error.code));
}

/**
 * Whether PostgreSQL could not take a value: no such number, time or text (class 22). Requests are checked before they
 * get there; what passes all checks is still the client's value, and no fault of the server.
 */
export function isUnusableValue(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^22(003|007|008|021|P02|P05)$/.test(String(error.code));
}

/** Runs work. If the database refuses it by one of the named constraints, throws the error for that constraint. */
export async function withConstraintErrors<T>(
  errorFor: Readonly<Record<string, () => Error>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw errorFor[violatedConstraint(error) ?? '']?.() ?? error;
  }
}
