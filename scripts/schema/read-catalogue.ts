/** Reads the tables of a migrated database from PostgreSQL's own catalogue. */
import type { Pool } from 'pg';

export interface Column {
  readonly name: string;
  /** As PostgreSQL writes it: `text`, `numeric(18,4)`, `uuid[]`. */
  readonly type: string;
  /** Of the element for an array: `text`, `int4`. */
  readonly base: string;
  readonly isArray: boolean;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
  /** Identity or generated columns that cannot be written. */
  readonly isAlwaysGenerated: boolean;
  /** Texts that a check constraint allows, where it lists them. */
  readonly values: readonly string[] | null;
  readonly isKey: boolean;
  /** The table it refers to. */
  readonly references: string | null;
}

export interface Table {
  readonly name: string;
  readonly kind: 'table' | 'partitioned table' | 'view';
  readonly comment: string | null;
  readonly columns: readonly Column[];
  /** Unique keys beside the primary one, as lists of columns or expressions. */
  readonly uniques: readonly string[];
}

interface ColumnRow extends Omit<Column, 'values'> {
  table: string;
  kind: string;
  comment: string | null;
}

/** By name. The job queue's tables have a schema of their own and are not ours. */
export async function readCatalogue(pool: Pool): Promise<Table[]> {
  const { rows: columns } = await pool.query<ColumnRow>(columnsQuery);
  const { rows: checks } = await pool.query<{ table: string; definition: string }>(checksQuery);
  const { rows: uniques } = await pool.query<{ table: string; definition: string }>(uniquesQuery);
  const tables = new Map<string, Table & { columns: Column[] }>();
  for (const { table: name, kind, comment, ...column } of columns) {
    const table = tables.get(name) ?? {
      name,
      kind: kind === 'v' ? 'view' : kind === 'p' ? 'partitioned table' : 'table',
      comment,
      columns: [],
      uniques: uniques.filter((unique) => unique.table === name).map(({ definition }) => definition),
    };
    tables.set(name, table);
    const own = checks.filter((check) => check.table === name);
    // A view tells nothing of what cannot be null; ours select columns that cannot.
    const nullable = column.nullable && table.kind !== 'view';
    table.columns.push({ ...column, nullable, values: listedValues(column.name, own) });
  }
  return [...tables.values()];
}

/** From `((status = ANY (ARRAY['new'::text, 'old'::text])))`; other checks say nothing about single values. */
function listedValues(column: string, checks: { definition: string }[]): string[] | null {
  const list = new RegExp(
    `^CHECK \\(\\(+(?:\\(?${column} IS NULL\\)? OR \\()?"?${column}"? = ANY \\(ARRAY\\[([^\\]]*)\\]\\)+$`,
  );
  for (const { definition } of checks) {
    const found = list.exec(definition)?.[1];
    if (found !== undefined) return [...found.matchAll(/'((?:[^']|'')*)'::/g)].map(([, value = '']) => value);
  }
  return null;
}

const columnsQuery = `
  select c.relname as "table", c.relkind as kind, obj_description(c.oid) as comment, a.attname as name,
         format_type(a.atttypid, a.atttypmod) as type, coalesce(e.typname, t.typname) as base,
         e.oid is not null as "isArray", not a.attnotnull as nullable,
         a.atthasdef or a.attidentity <> '' as "hasDefault",
         a.attidentity = 'a' or a.attgenerated <> '' as "isAlwaysGenerated",
         exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'p' and a.attnum = any (k.conkey)) as "isKey",
         (select r.relname from pg_constraint k join pg_class r on r.oid = k.confrelid
          where k.conrelid = c.oid and k.contype = 'f' and k.conkey[1] = a.attnum order by k.conname limit 1) as "references"
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
    and c.relname not in ('schema_migrations', 'schema_functions')
  order by c.relname, a.attnum`;

const checksQuery = `
  select c.relname as "table", pg_get_constraintdef(k.oid) as definition
  from pg_constraint k join pg_class c on c.oid = k.conrelid
  where k.contype = 'c' and c.relnamespace = 'public'::regnamespace order by k.conname`;

const uniquesQuery = `
  select c.relname as "table", regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING \\w+ ', '') as definition
  from pg_index i join pg_class c on c.oid = i.indrelid
  where i.indisunique and not i.indisprimary and c.relnamespace = 'public'::regnamespace and not c.relispartition
  order by 1, 2`;
