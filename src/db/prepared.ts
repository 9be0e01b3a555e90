/** Runs statements of the busiest paths prepared: planning them anew costs more than running them. */
import type { Pool, QueryResultRow } from 'pg';
import type { Statement } from './statement.ts';

/** One name, one text: values may differ from call to call, the words may not. */
export async function runPrepared<Row extends QueryResultRow>(
  pool: Pool,
  name: string,
  statement: Statement<Row>,
): Promise<Row[]> {
  return (await pool.query<Row>({ name, ...statement.compile() })).rows;
}
