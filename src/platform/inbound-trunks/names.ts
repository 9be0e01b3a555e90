import { invalid, messages, refuse } from '../../jsonapi/errors.ts';

/** Trunks and groups share one space of names; the database refuses the second of a name, and this says so. */
export async function keepNameUnique<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (constraintOf(error) === 'voice_in_names_taken') refuse(invalid.attribute('name', messages.taken));
    throw error;
  }
}

export function constraintOf(error: unknown): string | null {
  return error instanceof Error && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : null;
}
