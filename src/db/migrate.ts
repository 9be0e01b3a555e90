/** Brings a database to the schema of this program: numbered SQL files, each in a transaction, each once. */
import pg from 'pg';
import { machineClock } from '../clock.ts';
import { OperatorError } from '../operator-error.ts';
import { withBuiltIndexes } from './build-indexes.ts';
import { installJobQueue } from './job-queue.ts';
import { locks } from './locks.ts';
import { type Migration, shippedMigrations } from './migration-files.ts';
import { connectSession } from './pool.ts';
import { withoutTimeouts } from './timeouts.ts';

const oldestServer = 15;

/** Several processes may do this at once: the first does the work, the others wait and find it done. */
export async function migrate(pool: pg.Pool, migrations?: Migration[]): Promise<Migration[]> {
  const applied = await migrateTables(pool, migrations ?? (await shippedMigrations()));
  await installJobQueue(pool);
  return applied;
}

async function migrateTables(pool: pg.Pool, wanted: Migration[]): Promise<Migration[]> {
  const client = await connectSession(pool);
  try {
    await requireServerVersion(client);
    return await withoutTimeouts(client, async () => {
      await client.query('select pg_advisory_lock($1)', [locks.migrations]);
      try {
        return await applyMissing(client, wanted);
      } finally {
        await client.query('select pg_advisory_unlock($1)', [locks.migrations]);
      }
    });
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

async function applyMissing(client: pg.ClientBase, wanted: Migration[]): Promise<Migration[]> {
  await client.query(`create table if not exists schema_migrations (
    version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null)`);
  const result = await client.query<Omit<Migration, 'sql'>>(
    'select version, name, checksum from schema_migrations order by version',
  );
  const applied = new Map(result.rows.map((row) => [row.version, row]));
  refuseUnknown(result.rows, wanted);
  const missing = wanted.filter((migration) => !applied.has(migration.version));
  for (const migration of missing) await apply(client, migration);
  return missing;
}

/** A database that knows more than this program, or something else, is left alone. */
function refuseUnknown(applied: Omit<Migration, 'sql'>[], wanted: Migration[]): void {
  for (const row of applied) {
    const known = wanted.find((migration) => migration.version === row.version);
    if (known === undefined) {
      throw new OperatorError(
        `The database has the newer schema ${row.name}, which this Trunkline does not know; start the version that made it, or a newer one.`,
      );
    }
    if (known.checksum !== row.checksum) {
      throw new OperatorError(
        `The database was made with another text of ${row.name} than this Trunkline has; a migration that has run must not be changed.`,
      );
    }
  }
}

async function apply(client: pg.ClientBase, migration: Migration): Promise<void> {
  try {
    await client.query('begin');
    await client.query(await withBuiltIndexes(client, migration));
    await client.query('insert into schema_migrations (version, name, checksum, applied_at) values ($1, $2, $3, $4)', [
      migration.version,
      migration.name,
      migration.checksum,
      machineClock.now(),
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    if (!(error instanceof pg.DatabaseError)) throw error;
    throw new Error(`migration ${migration.name} failed: ${error.message}`, { cause: error });
  }
}
