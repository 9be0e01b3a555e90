/**
 * Values that PostgreSQL stores and no interface lets in: moments beyond four digits of a year, amounts that are no
 * number, texts longer than any that a request may bring. Columns are found by the database's own catalogue, so that a
 * new one is asked too.
 */
import pg from 'pg';
import { copiedTables } from './copied-tables.ts';
import { BadSnapshotFile } from './snapshot-format.ts';

/** The longest text that an interface takes is a comment of 10,000 characters (`longestFreeText`); a list has many. */
const mostCharacters = 20_000;
const mostListCharacters = 200_000;

/** By the type of a column: which values no row can have. */
const odd: readonly (readonly [types: RegExp, condition: (column: string) => string])[] = [
  [/^(date|timestamp.*)$/, (column) => `${column} < '0001-01-01' or ${column} >= '10000-01-01'`],
  [/^(numeric.*|double precision|real)$/, (column) => `${column}::text in ('NaN', 'Infinity', '-Infinity')`],
  [/^(text|character.*)$/, (column) => `length(${column}) > ${mostCharacters}`],
  [/^(jsonb?|.*\[\])$/, (column) => `length(${column}::text) > ${mostListCharacters}`],
];

export async function refuseOddValues(client: pg.Client): Promise<void> {
  const { rows: columns } = await client.query<{ table: string; column: string; type: string }>(
    `select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relname = any($1) order by c.relname, a.attnum`,
    [copiedTables.map(({ table }) => table)],
  );
  const byTable = Map.groupBy(columns, ({ table }) => table);
  for (const [table, own] of byTable) {
    const conditions = own.flatMap(({ column, type }) => {
      const condition = odd.find(([types]) => types.test(type))?.[1];
      return condition === undefined ? [] : [{ column, sql: condition(`t.${pg.escapeIdentifier(column)}`) }];
    });
    if (conditions.length === 0) continue;
    const cases = conditions.map(({ column, sql }) => `when ${sql} then ${pg.escapeLiteral(column)}`).join(' ');
    const { rows } = await client.query<{ column: string }>(
      `select case ${cases} end as column from public.${pg.escapeIdentifier(table)} t
       where ${conditions.map(({ sql }) => `(${sql})`).join(' or ')} limit 1`,
    );
    const [found] = rows;
    if (found !== undefined) {
      throw new BadSnapshotFile(
        `The file has rows that cannot be: a value of ${found.column} in ${table} is out of bounds.`,
      );
    }
  }
}
