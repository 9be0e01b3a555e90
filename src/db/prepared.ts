/** Statements of the busiest paths, planned once per connection: planning them anew costs more than running them. */
import type { CompiledQuery } from 'kysely';
import type { Pool, QueryResultRow } from 'pg';

/** One name, one text: values may differ from call to call, the words may not. */
export async function runPrepared<Row extends QueryResultRow>(
  pool: Pool,
  name: string,
  { sql, parameters }: CompiledQuery<Row>,
): Promise<Row[]> {
  return (await pool.query<Row>({ name, text: sql, values: [...parameters] })).rows;
}
