/** Loads a snapshot file into an empty database: its schema, its rows, and then the migrations that it lacks. */
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { migrate } from '../db/migrate.ts';
import { type Migration, shippedMigrations } from '../db/migration-files.ts';
import { createPool } from '../db/pool.ts';
import { copiedSchemas, type Table, tablesOf } from './copy-database.ts';
import {
  BadSnapshotFile,
  damaged,
  isTableHead,
  linesOf,
  newerFile,
  readHead,
  readHeader,
  type SnapshotHeader,
  type TableHead,
} from './snapshot-format.ts';

/** Returns the key that secrets in it are sealed with. */
export async function loadSnapshotFile(url: string, file: Buffer, mostBytes: number): Promise<Buffer> {
  const lines = linesOf(file, mostBytes);
  const header = readHeader((await lines.next()).value);
  await migrateTo(url, await schemaOf(header));
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin');
    await client.query("set local session_replication_role = 'replica'");
    for (const partition of header.partitions) await addPartition(client, partition);
    await copyRows(client, lines);
    // The next start writes its own.
    await client.query("update environment_state set server_key_mark = null, further_key_marks = '{}'");
    await client.query('commit');
  } catch (error) {
    // What PostgreSQL refuses in rows is a fault of the file.
    throw error instanceof pg.DatabaseError && /^(22|23)/.test(error.code ?? '') ? damaged() : error;
  } finally {
    await client.end().catch(() => undefined);
  }
  await migrateTo(url, await shippedMigrations());
  const key = Buffer.from(header.key, 'base64');
  if (key.length !== 32) throw damaged();
  return key;
}

async function schemaOf({ migrations }: SnapshotHeader): Promise<Migration[]> {
  const known = new Map((await shippedMigrations()).map((migration) => [migration.version, migration]));
  return migrations.map(({ version, checksum }) => {
    const found = known.get(version);
    if (found === undefined) throw new BadSnapshotFile(newerFile);
    if (found.checksum !== checksum)
      throw new BadSnapshotFile(`The file has another form of ${found.name} than this Trunkline.`);
    return found;
  });
}

async function migrateTo(url: string, migrations: Migration[]): Promise<void> {
  const pool = createPool(url, { max: 2 });
  try {
    await migrate(pool, migrations);
  } finally {
    await pool.end();
  }
}

async function addPartition(client: pg.Client, { parent, name, from, to }: SnapshotHeader['partitions'][number]) {
  const { rows } = await client.query<{ sql: string }>(
    `select format('create table if not exists public.%I partition of public.%I for values from (%L) to (%L)',
       $2::text, p.relname, $3::text, $4::text) as sql
     from pg_class p join pg_namespace n on n.oid = p.relnamespace
     where n.nspname = 'public' and p.relkind = 'p' and p.relname = $1`,
    [parent, name, from, to],
  );
  if (rows[0] === undefined) throw damaged();
  await client.query(rows[0].sql);
}

async function copyRows(client: pg.Client, lines: AsyncGenerator<string>): Promise<void> {
  const tables = new Map((await tablesOf(client)).map((table) => [table.name, table]));
  // The schema's own rows (such as the one of environment_state) give way to those of the file.
  await client.query(`truncate ${[...tables.keys()].join(', ')} cascade`);
  for await (const line of lines) {
    const head = readHead(line);
    if (isTableHead(head)) await copyTable(client, knownTable(tables, head), lines);
    else await setSequence(client, head.sequence, head.value);
  }
}

function knownTable(tables: ReadonlyMap<string, Table>, { table, columns }: TableHead): TableHead {
  const known = tables.get(table);
  if (known === undefined || !columns.every((column) => known.columns.includes(column))) throw damaged();
  return { table, columns };
}

/** Rows are passed on many at a time. */
const bytesAtATime = 1 << 16;

async function copyTable(client: pg.Client, { table, columns }: TableHead, lines: AsyncGenerator<string>) {
  const copy = client.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin`));
  const failed = once(copy, 'error').then(([error]) => Promise.reject(error));
  failed.catch(() => undefined);
  let waiting = '';
  const pass = async () => {
    if (!copy.write(waiting)) await Promise.race([once(copy, 'drain'), failed]);
    waiting = '';
  };
  for (;;) {
    const { value: line, done } = await lines.next();
    if (done) throw damaged();
    if (line === '\\.') break;
    waiting += `${line}\n`;
    if (waiting.length > bytesAtATime) await pass();
  }
  copy.end(waiting);
  await finished(copy);
}

async function setSequence(client: pg.Client, sequence: string, value: string): Promise<void> {
  await client.query(
    `select setval(format('%I.%I', schemaname, sequencename)::regclass, $2::bigint) from pg_sequences
     where format('%I.%I', schemaname, sequencename) = $1 and schemaname = any($3)`,
    [sequence, value, copiedSchemas],
  );
}
