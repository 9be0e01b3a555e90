/**
 * Brings a database to the schema of this program, in one transaction: an empty one gets the baseline, one that exists
 * the migrations that it lacks, and both the functions, triggers and views in force. By hand: no library applies
 * functions by their checksums, or refuses a database of other files.
 */
import type pg from 'pg';
import { machineClock } from '../../base/clock.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { applyFunctions, createFunctions, type StoredFunction } from './apply-functions.ts';
import { withBuiltIndexes } from './build-indexes.ts';
import { locks } from './locks.ts';
import { type AppliedMigration, missingMigrations } from './missing-migrations.ts';
import { connectSession } from './pool.ts';
import { runSql } from './run-sql.ts';
import { type Migration, type SchemaFiles, shippedSchema } from './schema-files.ts';
import { withoutTimeouts } from './timeouts.ts';
import { runAgain } from './transaction.ts';

const oldestServer = 15;

/**
 * Several processes may do this at once: the first does the work, the others wait and find it done. Returns what was
 * applied, in words.
 */
export async function migrate(pool: pg.Pool, files?: SchemaFiles): Promise<string[]> {
  const wanted = files ?? (await shippedSchema());
  const client = await connectSession(pool);
  try {
    await requireServerVersion(client);
    // Processes of the version before go on working meanwhile: a deadlock with one of them is tried again.
    return await withoutTimeouts(client, () => runAgain(() => inOneTransaction(client, wanted)));
  } finally {
    client.release();
  }
}

async function requireServerVersion(client: pg.ClientBase): Promise<void> {
  const result = await client.query<{ server_version_num: string }>('show server_version_num');
  const major = Math.floor(Number(result.rows[0]?.server_version_num) / 10_000);
  if (!(major >= oldestServer)) {
    throw new OperatorError(`Trunkline needs PostgreSQL ${oldestServer} or newer; this server is PostgreSQL ${major}.`);
  }
}

async function inOneTransaction(client: pg.ClientBase, files: SchemaFiles): Promise<string[]> {
  try {
    await client.query('begin');
    const { migrations, functions } = await readState(client);
    const applied =
      migrations.length === 0 ? await create(client, files) : await upgrade(client, files, migrations, functions);
    await client.query('commit');
    return applied;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function readState(
  client: pg.ClientBase,
): Promise<{ migrations: AppliedMigration[]; functions: StoredFunction[] }> {
  await client.query(`
    select pg_advisory_xact_lock(${locks.migrations});
    create table if not exists schema_migrations (
      version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null);
    create table if not exists schema_functions (
      name text primary key, checksum text not null, trunkline text not null, applied_at timestamptz not null)`);
  const migrations = await client.query<AppliedMigration>(
    'select version, name, checksum from schema_migrations order by version',
  );
  const functions = await client.query<StoredFunction>('select name, checksum, trunkline from schema_functions');
  return { migrations: migrations.rows, functions: functions.rows };
}

/** Few round trips: a first start waits for this. */
async function create(client: pg.ClientBase, { baseline, migrations, functions }: SchemaFiles): Promise<string[]> {
  const missing = [baseline, ...migrations];
  await runSql(client, 'the schema', missing.map(({ sql }) => sql).join('\n'));
  await record(client, missing);
  await createFunctions(client, functions);
  return missing.map(({ name }) => name);
}

async function upgrade(
  client: pg.ClientBase,
  files: SchemaFiles,
  applied: AppliedMigration[],
  stored: StoredFunction[],
): Promise<string[]> {
  const missing = missingMigrations(applied, files);
  for (const migration of missing) {
    await runSql(client, `migration ${migration.name}`, await withBuiltIndexes(client, migration));
    if (migration === files.moveOver) await client.query('delete from schema_migrations');
  }
  await record(client, missing);
  const functions = await applyFunctions(client, files.functions, stored, missing.length > 0);
  return [...missing.map(({ name }) => name), ...functions];
}

async function record(client: pg.ClientBase, migrations: readonly Migration[]): Promise<void> {
  await client.query(
    `insert into schema_migrations (version, name, checksum, applied_at)
     select version, name, checksum, $4 from unnest($1::int[], $2::text[], $3::text[]) as m (version, name, checksum)`,
    [
      migrations.map(({ version }) => version),
      migrations.map(({ name }) => name),
      migrations.map(({ checksum }) => checksum),
      machineClock.now(),
    ],
  );
}
