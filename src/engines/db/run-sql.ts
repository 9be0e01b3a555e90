/** Runs the SQL of files, so that an error says which file it was, and where in it PostgreSQL stopped. */
import pg from 'pg';
import { OperatorError } from '../../base/operator-error.ts';

const deadlock = '40P01';
/** A migration asks for something that the operator has to do first, and its message says what. */
const refused = 'TL001';

export async function runSql(client: pg.ClientBase, what: string, sql: string): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    // A deadlock is tried again by who began the transaction.
    if (!(error instanceof pg.DatabaseError) || error.code === deadlock) throw error;
    if (error.code === refused) throw new OperatorError(error.message);
    const [line] = sql.slice(Number(error.position ?? sql.length + 1) - 1).split('\n');
    throw new Error(`${what} failed${line ? ` at "${line}"` : ''}: ${error.message}`, { cause: error });
  }
}
