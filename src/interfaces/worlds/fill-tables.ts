/**
 * Fills an empty database of the same schema with the rows of a copy. Keys, checks and triggers of the database are on,
 * as for everybody else: they compute what depends on the rows, such as balances, and refuse rows that could not have
 * come about.
 */
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { DatabaseClient } from '../../engines/db/servers/client.ts';
import { removeAllJobs } from '../../engines/jobs/coming.ts';
import { copiedTables, derivedTables } from './copied-tables.ts';
import { planAgain } from './plan-again.ts';
import { columnsOfTables, type TableRows } from './read-tables.ts';
import { BadSnapshotFile, type SnapshotState } from './snapshot-format.ts';

interface Filling {
  readonly state: SnapshotState;
  /** How long one statement may take. */
  readonly patienceMs: number;
}

export async function fillTables(
  url: string,
  tables: AsyncIterable<TableRows>,
  { state, patienceMs }: Filling,
  afterwards: (client: pg.Client) => Promise<void> = async () => undefined,
): Promise<void> {
  const client = new DatabaseClient({ connectionString: url, statement_timeout: patienceMs });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin');
    await empty(client);
    // The pools of its accounts are among the rows.
    await client.query('alter table accounts disable trigger accounts_get_pools');
    for await (const rows of tables) await fillTable(client, rows);
    await client.query('set constraints all immediate');
    await client.query('alter table accounts enable trigger accounts_get_pools');
    await afterwards(client);
    await setSequences(client);
    await client.query('update invoice_numbers set last = coalesce((select max(number) from invoices), 0)');
    await setState(client, state);
    await removeAllJobs(client);
    await planAgain(client);
    await client.query('commit');
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Rows of the schema's own, and the account of the template, give way. Triggers that refuse it, or count, are off
 * meanwhile.
 */
async function empty(client: pg.Client): Promise<void> {
  const known = await columnsOfTables(client);
  const inOrder = [
    ...copiedTables.map(({ table }) => table),
    ...derivedTables.filter((name) => name !== 'catalogue_version'),
  ];
  const tables = inOrder.filter((name) => known.has(name)).toReversed();
  const asked = tables.map((name) => `select '${name}' as name where exists (select from ${name})`).join(' union all ');
  const { rows } = await client.query<{ name: string }>(asked);
  const filled = new Set(rows.map(({ name }) => name));
  for (const name of tables.filter((table) => filled.has(table))) {
    await client.query(`alter table ${name} disable trigger user`);
    await client.query(`delete from ${name}`);
    await client.query(`alter table ${name} enable trigger user`);
  }
}

/** No business has more months of calls than this; each is a table of its own. */
const mostMonths = 240;

async function fillTable(client: pg.Client, { copied, columns, rows }: TableRows): Promise<void> {
  const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ');
  const table = pg.escapeIdentifier(copied.table);
  if (copied.month === undefined) return copyInto(client, `public.${table} (${list})`, rows);
  await client.query(`create temp table staged (like public.${table} including defaults) on commit drop`);
  await copyInto(client, `staged (${list})`, rows);
  const { rows: months } = await client.query<{ month: Date }>(
    `select distinct date_trunc('month', ${pg.escapeIdentifier(copied.month)}) as month from staged limit ${mostMonths + 1}`,
  );
  if (months.length > mostMonths) throw new BadSnapshotFile(`${copied.table} has more than ${mostMonths} months.`);
  for (const { month } of months) await client.query('select ensure_month_partition($1, $2)', [copied.table, month]);
  await client.query(`insert into public.${table} (${list}) overriding system value select ${list} from staged`);
  await client.query('drop table staged');
}

async function copyInto(client: pg.Client, target: string, rows: AsyncIterable<Buffer>): Promise<void> {
  const copy = client.query(copyFrom(`copy ${target} from stdin`));
  const failed = once(copy, 'error').then(([error]) => Promise.reject(error));
  failed.catch(() => undefined);
  for await (const chunk of rows) {
    if (!copy.write(chunk)) await Promise.race([once(copy, 'drain'), failed]);
  }
  copy.end();
  await finished(copy);
}

/** What is numbered goes on behind the rows. */
async function setSequences(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ sql: string }>(
    `select format('select setval(%L, m) from (select max(%I) as m from %I.%I) x where m is not null',
       s.oid::regclass::text, a.attname, n.nspname, c.relname) as sql
     from pg_class s join pg_depend d on d.objid = s.oid and d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i')
       join pg_class c on c.oid = d.refobjid join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
       join pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid
     where s.relkind = 'S'`,
  );
  for (const { sql } of rows) await client.query(sql);
}

async function setState(client: pg.Client, { clock_offset_ms, clock_factor, catalogue }: SnapshotState): Promise<void> {
  await client.query(
    `update environment_state set clock_version = clock_version + 1, clock_offset_ms = $1, clock_factor = $2, catalogue = $3,
       clock_stands_at = null, clock_factor_since = null`,
    [clock_offset_ms, clock_factor, catalogue],
  );
}
