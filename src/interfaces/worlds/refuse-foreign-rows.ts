/**
 * Rows of one account that refer to a row of another cannot be made through any interface, and foreign keys alone do
 * not notice them. Found by the database's own catalogue, so that a new table is asked too.
 */
import pg from 'pg';
import { copiedTables } from './copied-tables.ts';
import { BadSnapshotFile } from './snapshot-format.ts';

export async function refuseForeignRows(client: pg.Client): Promise<void> {
  await refuseRowsOfNobody(client);
  const { rows } = await client.query<{ child: string; sql: string }>(
    `select c.relname as child, format(
       'select exists (select from public.%I c join public.%I p on p.%I = c.%I where c.account_id <> p.account_id) as found',
       c.relname, p.relname, pa.attname, ca.attname) as sql
     from pg_constraint f
       join pg_class c on c.oid = f.conrelid and not c.relispartition
       join pg_class p on p.oid = f.confrelid
       join pg_attribute ca on ca.attrelid = c.oid and ca.attnum = f.conkey[1]
       join pg_attribute pa on pa.attrelid = p.oid and pa.attnum = f.confkey[1]
     where f.contype = 'f' and c.relnamespace = 'public'::regnamespace and array_length(f.conkey, 1) = 1
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'account_id')
       and exists (select from pg_attribute a where a.attrelid = p.oid and a.attname = 'account_id')`,
  );
  for (const { child, sql } of rows) {
    const { rows: found } = await client.query<{ found: boolean }>(sql);
    if (found[0]?.found === true)
      throw new BadSnapshotFile(`The file has rows of ${child} that refer to another account.`);
  }
}

/** Not every table of rows of accounts has a foreign key that says so. */
async function refuseRowsOfNobody(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string }>(
    `select c.relname as table from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
     where c.relnamespace = 'public'::regnamespace and c.relname = any($1)`,
    [copiedTables.map(({ table }) => table)],
  );
  for (const { table } of rows) {
    const { rowCount } = await client.query(
      `select from public.${pg.escapeIdentifier(table)} t
       where t.account_id is not null and not exists (select from accounts a where a.id = t.account_id) limit 1`,
    );
    if (rowCount !== 0) throw new BadSnapshotFile(`The file has rows of ${table} that belong to no account.`);
  }
}
