/**
 * Builds the indexes of migrations that are still to be applied, while the running version goes on writing. A migration
 * builds its indexes in its transaction, which locks a table against writes for minutes once it has millions of rows;
 * an index that was built here before is used as it is.
 */
import pg from 'pg';
import { type AppliedMigration, missingMigrations } from './missing-migrations.ts';
import type { Migration, SchemaFiles } from './schema-files.ts';
import { withoutTimeouts } from './timeouts.ts';

interface PlannedIndex {
  readonly name: string;
  readonly table: string;
  /** What follows the table. */
  readonly definition: string;
}

/** Unique indexes are left to their migration: what violates one must stop it. */
function indexesOf({ sql }: Pick<Migration, 'sql'>): PlannedIndex[] {
  return [...sql.matchAll(/^create index (\w+) on (\w+)\s+([^;]+);/gm)].map(
    ([, name = '', table = '', definition = '']) => ({ name, table, definition }),
  );
}

/** `progress` gets a line for each index. Tables and columns that only the migrations add are left to them. */
export async function buildIndexes(pool: pg.Pool, files: SchemaFiles, progress: (line: string) => void): Promise<void> {
  const client = await pool.connect();
  try {
    // Without the lock of migrations: a process that waits for it would keep the index from being completed.
    await withoutTimeouts(client, async () => {
      for (const index of (await missingOf(client, files)).flatMap(indexesOf)) await build(client, index, progress);
    });
  } finally {
    client.release();
  }
}

/** The text of a migration in which indexes that exist are not built again. */
export async function withBuiltIndexes(client: pg.ClientBase, migration: Migration): Promise<string> {
  const names = indexesOf(migration).map(({ name }) => name);
  if (names.length === 0) return migration.sql;
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
     where c.relname = any($1) and c.relnamespace = 'public'::regnamespace and i.indisvalid`,
    [names],
  );
  const built = new Set(rows.map(({ name }) => name));
  return migration.sql.replaceAll(/^create index (\w+) on/gm, (text, name) =>
    built.has(name) ? `create index if not exists ${name} on` : text,
  );
}

async function missingOf(client: pg.ClientBase, files: SchemaFiles): Promise<readonly Migration[]> {
  const { rows } = await client.query<{ known: boolean }>(
    `select to_regclass('schema_migrations') is not null as known`,
  );
  // An empty database has nothing to index.
  if (rows[0]?.known !== true) return [];
  const applied = await client.query<AppliedMigration>(
    'select version, name, checksum from schema_migrations order by version',
  );
  return applied.rows.length === 0 ? [] : missingMigrations(applied.rows, files);
}

/**
 * A partitioned table takes over indexes of its partitions that match; one of its own cannot be built without a lock.
 */
async function build(client: pg.ClientBase, index: PlannedIndex, progress: (line: string) => void): Promise<void> {
  const { rows } = await client.query<{ name: string; isPartition: boolean }>(
    `select c.relname as name, c.relispartition as "isPartition" from pg_class c
     where c.relkind = 'r' and (c.oid = to_regclass($1) or c.oid in (select relid from pg_partition_tree(to_regclass($1))))
     order by 1`,
    [index.table],
  );
  for (const { name: table, isPartition } of rows) {
    const name = isPartition ? `${table}_${index.name}`.slice(0, 63) : index.name;
    const began = performance.now();
    if (!(await buildOne(client, { ...index, name, table }))) return progress(`${index.name}: left to its migration`);
    progress(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  }
}

/** A column, a function or an operator class that a migration adds. */
const undefinedThings: readonly (string | undefined)[] = ['42703', '42883', '42704'];

/**
 * False if the database does not have all that the index needs yet. What a build that was broken off has left behind is
 * removed first.
 */
async function buildOne(client: pg.ClientBase, { name, table, definition }: PlannedIndex): Promise<boolean> {
  const { rows } = await client.query<{ valid: boolean }>(
    `select indisvalid as valid from pg_index where indexrelid = to_regclass($1)`,
    [name],
  );
  if (rows[0]?.valid === false) await client.query(`drop index concurrently ${name}`);
  try {
    await client.query(`create index concurrently if not exists ${name} on ${table} ${definition}`);
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && undefinedThings.includes(error.code)) return false;
    throw error;
  }
}
