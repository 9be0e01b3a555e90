/** Reads the rows of a copy from a database, as of one moment, while everybody goes on working. */
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { DatabaseClient } from '../../engines/db/servers/client.ts';
import { type CopiedTable, copiedTables } from './copied-tables.ts';
import type { SnapshotState } from './snapshot-format.ts';

export interface TableRows {
  readonly copied: CopiedTable;
  /** Without those that the database computes, and those that stay behind. */
  readonly columns: readonly string[];
  /** As COPY writes them, in pieces of any size. */
  readonly rows: AsyncIterable<Buffer>;
}

interface WhatIsRead {
  /** Whose rows; null: those of all accounts. */
  readonly accountId: string | null;
  readonly forFile: boolean;
}

export async function withReader<T>(url: string, read: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new DatabaseClient(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    return await read(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

export async function* readTables(client: pg.Client, what: WhatIsRead): AsyncGenerator<TableRows> {
  const known = await columnsOfTables(client);
  for (const copied of what.forFile ? tablesInFiles : copiedTables) {
    const columns = known.get(copied.table)?.filter((column) => isCopied(copied, column, what.forFile));
    if (columns === undefined) continue;
    yield { copied, columns, rows: client.query(copyTo(`copy (${selectOf(copied, columns, what)}) to stdout`)) };
  }
}

export const tablesInFiles: readonly CopiedTable[] = copiedTables.filter(({ notInFiles }) => notInFiles !== 'all');

export const isCopied = ({ without, notInFiles }: CopiedTable, column: string, forFile: boolean): boolean =>
  !without?.includes(column) && !(forFile && notInFiles?.includes(column));

function selectOf(
  { table, rows, instead }: CopiedTable,
  columns: readonly string[],
  { accountId }: WhatIsRead,
): string {
  const list = columns.map((column) => instead?.[column] ?? `t.${pg.escapeIdentifier(column)}`).join(', ');
  const where =
    accountId === null || rows === undefined
      ? ''
      : ` where ${rows.replaceAll('$account', pg.escapeLiteral(accountId))}`;
  return `select ${list} from public.${pg.escapeIdentifier(table)} t${where}`;
}

/** The columns of all tables that rows can be put into, in their order. */
export async function columnsOfTables(client: pg.Client): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     group by 1`,
  );
  return new Map(rows.map(({ table, columns }) => [table, columns]));
}

/** Of a database whose clock is held (hold-clock.ts), or of one that is in use: then as it is at this moment. */
export async function readState(client: pg.Client, now: Date): Promise<SnapshotState> {
  const { rows } = await client.query<{ offset: string; factor: number | null; catalogue: string | null }>(
    'select clock_settled_ms(s, $1) as offset, clock_factor as factor, catalogue from environment_state s',
    [now],
  );
  const { offset = '0', factor = null, catalogue = null } = rows[0] ?? {};
  return { clock_offset_ms: Number(offset), clock_factor: factor, catalogue };
}
