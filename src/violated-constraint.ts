/** Which database constraint refused a statement, and the error to report for it. */

/** The name of the violated constraint; null if the error is another one. */
export function violatedConstraint(error: unknown): string | null {
  return error instanceof Error && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : null;
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
