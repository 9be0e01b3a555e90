/** Runs the SQL of files, so that an error says which file it was, and where in it PostgreSQL stopped. */
import pg from 'pg';

const deadlock = '40P01';

export async function runSql(client: pg.ClientBase, what: string, sql: string): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    // A deadlock is tried again by who began the transaction.
    if (!(error instanceof pg.DatabaseError) || error.code === deadlock) throw error;
    const [line] = sql.slice(Number(error.position ?? sql.length + 1) - 1).split('\n');
    throw new Error(`${what} failed${line ? ` at "${line}"` : ''}: ${error.message}`, { cause: error });
  }
}
