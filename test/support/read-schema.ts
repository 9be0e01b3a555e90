/** Everything that PostgreSQL's catalogues say of a database's own schema, as text: to compare two databases. */
import type pg from 'pg';

/** What it is → its lines, in order. Physical places (numbers of columns, of pages, of objects) are left out. */
export async function readSchema(pool: pg.Pool): Promise<Record<string, string[]>> {
  const read = async (sql: string) => (await pool.query<{ line: string }>(sql)).rows.map(({ line }) => line).sort();
  return Object.fromEntries(
    await Promise.all(Object.entries(queries).map(async ([what, sql]) => [what, await read(sql)] as const)),
  );
}

const own = `n.nspname in ('public', 'environment_time')`;

const queries: Readonly<Record<string, string>> = {
  tables: `
    select concat_ws(' ', c.relkind, c.relname, c.reloptions::text, c.relpersistence, pg_get_partkeydef(c.oid),
      pg_get_expr(c.relpartbound, c.oid), c.relacl::text, c.relrowsecurity) as line
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${own} and c.relkind not in ('i', 'I', 't')`,
  columns: `
    select concat_ws(' ', c.relname, row_number() over (partition by c.oid order by a.attnum), a.attname,
      format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attgenerated,
      a.attstorage, a.attcompression, a.attcollation::regcollation, a.attacl::text, col_description(c.oid, a.attnum)) as line
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where ${own} and c.relkind in ('r', 'p', 'v') and a.attnum > 0 and not a.attisdropped`,
  constraints: `
    select concat_ws(' ', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid), k.condeferrable, k.condeferred, k.convalidated)
      as line
    from pg_constraint k join pg_namespace n on n.oid = k.connamespace where ${own}`,
  indexes: `
    select concat_ws(' ', pg_get_indexdef(i.indexrelid), i.indisvalid, c.reloptions::text) as line
    from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace where ${own}`,
  functions: `
    select pg_get_functiondef(p.oid) || coalesce(p.proacl::text, '') as line
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where ${own} and p.prokind = 'f'
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`,
  triggers: `
    select concat_ws(' ', pg_get_triggerdef(t.oid), t.tgenabled) as line
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
    where ${own} and not t.tgisinternal`,
  views: `
    select concat_ws(' ', c.relname, pg_get_viewdef(c.oid)) as line
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${own} and c.relkind in ('v', 'm')`,
  sequences: `
    select concat_ws(' ', s.sequencename, s.data_type, s.start_value, s.min_value, s.max_value, s.increment_by, s.cycle, s.cache_size)
      as line
    from pg_sequences s join pg_namespace n on n.nspname = s.schemaname where ${own}`,
  types: `
    select concat_ws(' ', t.typname, t.typtype) as line
    from pg_type t join pg_namespace n on n.oid = t.typnamespace left join pg_class c on c.oid = t.typrelid
    where ${own} and t.typtype in ('c', 'd', 'e') and (c.oid is null or c.relkind = 'c')`,
  'schemas, extensions and what they know of the program': `
    select concat_ws(' ', nspname, nspacl::text) as line from pg_namespace n where ${own} and nspname <> 'public'
    union all select extname from pg_extension
    union all select concat_ws(' ', version, name, checksum) from schema_migrations
    union all select concat_ws(' ', name, checksum) from schema_functions`,
  'rows of reference': `
    select concat_ws(' ', prefix, risk, note) as line from destination_risks
    union all select concat_ws(' ', risk, account_id, daily_limit) from risk_limits
    union all select concat_ws(' ', per, delivery_method, prefix, amount) from verification_rates
    union all select to_jsonb(s)::text from verification_settings s
    union all select (to_jsonb(s) - '{origid,installation}'::text[])::text from environment_state s
    union all select to_jsonb(s)::text from exact_tax_since s
    union all select to_jsonb(s)::text from invoice_numbers s`,
};
