/** Stages imported numbers in a temporary table, checks them together, then stores them in order. */
import { type Kysely, sql } from 'kysely';
import type { PoolClient } from 'pg';
import type { Schema } from '../../engines/db/schema.ts';
import { copyLines } from './bulk-write.ts';
import { numberId } from './ids.ts';
import type { ImportErrors } from './import-errors.ts';
import type { NumberRecord } from './number-records.ts';

const numbersPerInsert = 100_000;

export class NumberStaging {
  readonly #client: PoolClient;
  readonly #db: Kysely<Schema>;
  #lines: string[] = [];
  #total = 0;

  private constructor(client: PoolClient, db: Kysely<Schema>) {
    this.#client = client;
    this.#db = db;
  }

  static async create(client: PoolClient, db: Kysely<Schema>): Promise<NumberStaging> {
    await client.query(`create temporary table import_numbers (
      line bigint not null, id uuid, number text collate "C" not null, did_group_id uuid not null, nanpa_prefix_id uuid
    ) on commit drop`);
    return new NumberStaging(client, db);
  }

  /** How many numbers are staged in the database. */
  get total(): number {
    return this.#total;
  }

  /** How many of them have not reached the database. */
  get waiting(): number {
    return this.#lines.length;
  }

  add(line: number, { id, number, did_group_id, nanpa_prefix_id }: NumberRecord): void {
    // Digits and UUIDs need no escaping; this runs once per number.
    this.#lines.push(`${line}\t${id ?? '\\N'}\t${number}\t${did_group_id}\t${nanpa_prefix_id ?? '\\N'}\n`);
  }

  async flush(): Promise<void> {
    if (this.#lines.length === 0) return;
    this.#total += this.#lines.length;
    await copyLines(this.#client, 'import_numbers', [this.#lines.join('')]);
    this.#lines = [];
  }

  /** Checks that need all imported numbers, or the numbers already stored. */
  async check(errors: ImportErrors): Promise<void> {
    if (this.#total === 0) return;
    await sql`create index on import_numbers (number)`.execute(this.#db);
    await sql`analyze import_numbers`.execute(this.#db);
    for (const found of faults) await this.#report(errors, found);
  }

  async #report(errors: ImportErrors, found: ReturnType<typeof sql>): Promise<void> {
    const { rows } = await sql<{ line: number; message: string; all: number }>`
      select line, message, count(*) over () as all from (${found}) f order by line limit 100`.execute(this.#db);
    for (const { line, message } of rows) errors.addText(line, message);
    errors.addCount((rows[0]?.all ?? 0) - rows.length);
  }

  /** In ascending order, so that the indexes grow page by page and each block is written once. */
  async store(onProgress: (done: number, of: number) => void): Promise<number> {
    let stored = 0;
    let last = '';
    while (stored < this.#total) {
      const { rows } = await sql<{ stored: number; last: string }>`
        with part as (select * from import_numbers where number > ${last} order by number limit ${numbersPerInsert}),
        written as (
          insert into available_dids (id, number, did_group_id, nanpa_prefix_id)
          select coalesce(id, ${numberId(sql`number`)}), number, did_group_id, nanpa_prefix_id from part order by number
        )
        select count(*) as stored, max(number) as last from part`.execute(this.#db);
      const [part] = rows;
      if (!part || part.stored === 0) throw new Error('numbers were lost on their way into the stock');
      stored += part.stored;
      last = part.last;
      onProgress(stored, this.#total);
    }
    return stored;
  }
}

/** Queries for the faults of numbers that need all of them, or those already stored: the line and what is wrong. */
const faults = [
  sql`
    select n.line, n.number || ' is in the file twice, first in line ' || f.line as message
    from (select number, min(line) as line from import_numbers group by number having count(*) > 1) f
    join import_numbers n on n.number = f.number and n.line > f.line`,
  sql`
    select n.line, n.number || ' is in stock already' as message from import_numbers n join available_dids using (number)`,
  sql`
    select n.line, n.number || ' is owned by a customer' as message from import_numbers n join dids using (number)`,
  sql`
    select n.line, n.number || case h.state when 'withdrawn' then ' is withdrawn' else ' is in quarantine' end
      || ': release it instead' as message
    from import_numbers n join held_numbers h using (number)`,
  sql`
    select n.line, 'id: ' || n.id || ' is the id of ' || f.number || ' in line ' || f.line as message
    from (select id, (array_agg(number order by line))[1] as number, min(line) as line
          from import_numbers where id is not null group by id having count(distinct number) > 1) f
    join import_numbers n on n.id = f.id and n.number <> f.number`,
  sql`
    select n.line, 'id: ' || n.id || ' is the id of ' || a.number || ', which is in stock' as message
    from import_numbers n join available_dids a on a.id = n.id and a.number <> n.number`,
];
