/** A transaction that is run again when the database chose it to break a circle of waiting ones. */
import type { Kysely, Transaction } from 'kysely';
import type { Schema } from './schema.ts';

const deadlock = '40P01';
const serialization = '40001';
const attempts = 5;

/** `work` may run several times; it must touch nothing but `trx`. */
export async function inTransaction<T>(db: Kysely<Schema>, work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      const code = codeOf(error);
      if ((code !== deadlock && code !== serialization) || attempt === attempts) throw error;
    }
  }
}

/** The name of the constraint that refused a statement, if one did. */
export function violatedConstraint(error: unknown): string | null {
  return error instanceof Error && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : null;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
