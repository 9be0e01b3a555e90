/** The SQL statements that a piece of work sends through a pool. */
import type { Pool } from 'pg';

interface SentStatement {
  text: string;
  values: unknown[];
}

export async function statementsDuring(pool: Pool, work: () => Promise<unknown>): Promise<SentStatement[]> {
  const { query } = pool;
  const sent: SentStatement[] = [];
  const recorded = (...args: [string | SentStatement, unknown[]?]): unknown => {
    const [statement, values = []] = args;
    sent.push(typeof statement === 'string' ? { text: statement, values } : statement);
    return Reflect.apply(query, pool, args);
  };
  pool.query = recorded as typeof query;
  try {
    await work();
  } finally {
    pool.query = query;
  }
  return sent;
}
