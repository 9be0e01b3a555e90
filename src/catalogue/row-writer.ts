/** Writes catalogue rows in batches; existing rows (same id) are updated. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../db/schema.ts';
import type { Row } from './records.ts';
import { type CatalogueTable, catalogueTables } from './rows.ts';

export class RowWriter {
  readonly #db: Kysely<Schema>;
  readonly #waiting = new Map<CatalogueTable, Row[]>(catalogueTables.map((table) => [table, []]));

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  add(table: CatalogueTable, row: Row): void {
    this.#waiting.get(table)?.push(row);
  }

  /** Writes in table order, so that referenced rows exist first. */
  async flush(): Promise<void> {
    for (const [table, rows] of this.#waiting) {
      if (rows.length === 0) continue;
      await this.#upsert(table, rows);
      rows.length = 0;
    }
  }

  /** Discards the rows that are not written yet. */
  forget(): void {
    for (const rows of this.#waiting.values()) rows.length = 0;
  }

  async #upsert(table: CatalogueTable, rows: Row[]): Promise<void> {
    const columns = Object.keys(rows[0] ?? {});
    const names = sql.join(columns.map((column) => sql.ref(column)));
    const changes = columns
      .filter((column) => column !== 'id')
      .map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`);
    const conflict = columns.includes('id') ? sql`(id) do update set ${sql.join(changes)}` : sql`do nothing`;
    // If several rows have one id, the last one wins, as if they were written one by one.
    const distinct = columns.includes('id') ? [...new Map(rows.map((row) => [row.id, row])).values()] : rows;
    await sql`insert into ${sql.table(table)} (${names})
              select ${names} from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(distinct)}::jsonb)
              on conflict ${conflict}`.execute(this.#db);
  }
}
