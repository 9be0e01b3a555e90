/** Migrations: applied in order and once, and when they are refused. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useEmptyDatabase } from '../../test/support/empty-database.ts';
import { startOldPostgres } from '../../test/support/old-postgres.ts';
import { migrate } from './migrate.ts';
import { type Migration, readMigrations } from './migration-files.ts';
import { createPool } from './pool.ts';

const migration = (version: number, sql: string): Migration => ({
  version,
  name: `000${version}_test.sql`,
  sql,
  checksum: createHash('sha256').update(sql).digest('hex'),
});

// What the job queue's own tables stand on.
const ground = migration(1, 'create schema environment_time; create table one (id int); insert into one values (1)');
const second = migration(2, 'create table two (id int)');

describe('migrating', () => {
  const database = useEmptyDatabase();

  const tables = async () =>
    (await database.pool.query("select tablename from pg_tables where schemaname = 'public' order by 1")).rows.map(
      (row) => row.tablename,
    );

  it('applies what is missing, in order, and each once', async () => {
    expect(await migrate(database.pool, [ground])).toEqual([ground]);
    expect(await migrate(database.pool, [ground, second])).toEqual([second]);
    expect(await migrate(database.pool, [ground, second])).toEqual([]);
    expect((await database.pool.query('select * from one')).rows).toHaveLength(1);
    expect((await database.pool.query('select version, name from schema_migrations order by 1')).rows).toEqual([
      { version: 1, name: '0001_test.sql' },
      { version: 2, name: '0002_test.sql' },
    ]);
  });

  it('does the work once when several processes start together', async () => {
    const pools = Array.from({ length: 4 }, () => createPool(database.url));
    const applied = await Promise.all(pools.map((each) => migrate(each)));
    await Promise.all(pools.map((each) => each.end()));
    const all = await readMigrations();
    expect(applied.filter((each) => each.length > 0)).toEqual([all]);
  });

  it('leaves nothing of a migration that fails, and says which it was', async () => {
    const broken = migration(2, 'create table half (id int); select 1/0');
    await expect(migrate(database.pool, [ground, broken])).rejects.toThrow(
      'migration 0002_test.sql failed: division by zero',
    );
    expect(await tables()).toEqual(['one', 'schema_migrations']);
  });

  it('refuses a schema that a newer version made', async () => {
    await migrate(database.pool, [ground, second]);
    await expect(migrate(database.pool, [ground])).rejects.toThrow(
      'The database has the newer schema 0002_test.sql, which this Trunkline does not know',
    );
  });

  it('refuses a migration whose text was changed after it ran', async () => {
    await migrate(database.pool, [ground, second]);
    await expect(migrate(database.pool, [ground, migration(2, 'create table other (id int)')])).rejects.toThrow(
      'another text of 0002_test.sql',
    );
  });
});

it('refuses a PostgreSQL older than 15 before it touches anything', async () => {
  const old = await startOldPostgres();
  const pool = createPool(old.url);
  await expect(migrate(pool)).rejects.toThrow('Trunkline needs PostgreSQL 15 or newer; this server is PostgreSQL 14.');
  await pool.end();
  await old.close();
  expect(old.queries.filter((query) => /create|insert|lock/i.test(query))).toEqual([]);
});

it('has migrations with distinct numbers', async () => {
  const versions = (await readMigrations()).map(({ version }) => version);
  expect(new Set(versions).size).toBe(versions.length);
});
