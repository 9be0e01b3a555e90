/**
 * Transactions, and single statements, that run again when the database chose them to break a circle of waiting ones.
 */
import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import type { Schema } from './schema.ts';

const deadlock = '40P01';
const serialization = '40001';
const attempts = 5;

/**
 * `work` may run several times; it must touch nothing but `trx`. If `db` is a transaction already, `work` is a part of
 * it.
 */
export async function inTransaction<T>(db: Kysely<Schema>, work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db as Transaction<Schema>);
  return runAgain(() => db.transaction().execute(work));
}

/** For a statement that is a transaction by itself. */
export async function runAgain<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const code = codeOf(error);
      if ((code !== deadlock && code !== serialization) || attempt === attempts) throw error;
    }
  }
}

/** Runs plain SQL inside a transaction, one statement after another however many are asked for at once. */
export function runIn(trx: Kysely<Schema>): (text: string, values: unknown[]) => Promise<Record<string, unknown>[]> {
  let before: Promise<unknown> = Promise.resolve();
  return async (text, values) => {
    const run = before.then(() => trx.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, values)));
    before = run.catch(() => undefined);
    return (await run).rows;
  };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
