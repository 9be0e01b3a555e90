/**
 * SQL for the busiest paths. It is written like Kysely's `sql` and gives the same text, but building and walking
 * Kysely's tree for every request costs more than anything else that happens around a query. For everything else use
 * Kysely.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Pool, QueryResultRow } from 'pg';

export class Statement<Row = unknown> {
  readonly #strings: readonly string[];
  readonly #values: readonly unknown[];
  /** Never set: the type of the rows. */
  readonly row?: Row;

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.#strings = strings;
    this.#values = values;
  }

  /** The text with `$1`, `$2` … and their values; statements inside are inlined. */
  compile(): { text: string; values: unknown[] } {
    const values: unknown[] = [];
    return { text: this.#write(values), values };
  }

  /** The same as a part of a Kysely query. */
  toKysely(): RawBuilder<Row> {
    const values = this.#values.map((value) => (value instanceof Statement ? value.toKysely() : value));
    return sql(Object.assign([...this.#strings], { raw: this.#strings }), ...values);
  }

  #write(values: unknown[]): string {
    let text = this.#strings[0] ?? '';
    for (const [index, value] of this.#values.entries()) {
      text += value instanceof Statement ? value.#write(values) : `$${values.push(value)}`;
      text += this.#strings[index + 1] ?? '';
    }
    return text;
  }
}

export function statement<Row = unknown>(strings: TemplateStringsArray, ...values: unknown[]): Statement<Row> {
  return new Statement(strings, values);
}

/** Words that are part of the text, such as a table's name; never anything from a request. */
export function words(text: string): Statement {
  return new Statement([text], []);
}

/** Values with commas between them. */
export function list(values: readonly unknown[]): Statement {
  return new Statement(['', ...values.slice(1).map(() => ', '), ''], values);
}

/**
 * Prepared from its first run, whatever else fills the list of repeated statements (prepared.ts). One name, one text:
 * values may differ from call to call, the words may not.
 */
export async function runPrepared<Row extends QueryResultRow>(
  pool: Pool,
  name: string,
  statement: Statement<Row>,
): Promise<Row[]> {
  return (await pool.query<Row>({ name, ...statement.compile() })).rows;
}
