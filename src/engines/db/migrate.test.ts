/** Migrations: applied in order and once, and when they are refused. */
import { describe, expect, it } from 'vitest';
import { useEmptyDatabase } from '../../../test/support/empty-database.ts';
import { startOldPostgres } from '../../../test/support/old-postgres.ts';
import { migrate } from './migrate.ts';
import { createPool } from './pool.ts';
import { schemaOf } from './schema-files.fixture.ts';
import { shippedSchema } from './schema-files.ts';

const table = 'create table one (id int);\ninsert into one values (1);';
const second = 'create table two (id int)';
const ground = schemaOf(table);
const grown = schemaOf(table, [second]);

describe('migrating', () => {
  const database = useEmptyDatabase();

  const tables = async () =>
    (await database.pool.query("select tablename from pg_tables where schemaname = 'public' order by 1")).rows.map(
      (row) => row.tablename,
    );

  it('applies what is missing, in order, and each once', async () => {
    expect(await migrate(database.pool, ground)).toEqual(['1000_baseline']);
    expect(await migrate(database.pool, grown)).toEqual(['1001_test.sql']);
    expect(await migrate(database.pool, grown)).toEqual([]);
    expect((await database.pool.query('select * from one')).rows).toHaveLength(1);
    expect((await database.pool.query('select version, name from schema_migrations order by 1')).rows).toEqual([
      { version: 1000, name: '1000_baseline' },
      { version: 1001, name: '1001_test.sql' },
    ]);
  });

  it('does the work once when several processes start together', async () => {
    const pools = Array.from({ length: 4 }, () => createPool(database.url));
    const applied = await Promise.all(pools.map((each) => migrate(each)));
    await Promise.all(pools.map((each) => each.end()));
    const { baseline, migrations } = await shippedSchema();
    expect(applied.filter((each) => each.length > 0)).toEqual([[baseline, ...migrations].map(({ name }) => name)]);
  });

  it('leaves nothing of a schema or a migration that fails, and says where', async () => {
    await expect(migrate(database.pool, schemaOf('create table x (id int);\ncreate tabel y ()'))).rejects.toThrow(
      'the schema failed at "tabel y ()": syntax error',
    );
    expect(await tables()).toEqual([]);
    await migrate(database.pool, ground);
    const broken = schemaOf(table, [second, 'create table half (id int); select 1/0']);
    await expect(migrate(database.pool, broken)).rejects.toThrow('migration 1002_test.sql failed: division by zero');
    expect(await tables()).toEqual(['one', 'schema_functions', 'schema_migrations']);
  });

  it('refuses a schema that a newer version made', async () => {
    await migrate(database.pool, grown);
    await expect(migrate(database.pool, ground)).rejects.toThrow(
      'The database has the newer schema 1001_test.sql, which this Trunkline does not know',
    );
  });

  it('refuses a migration or a baseline whose text was changed after it ran, but for comments of the baseline', async () => {
    await migrate(database.pool, grown);
    await expect(migrate(database.pool, schemaOf(table, ['create table other (id int)']))).rejects.toThrow(
      'another text of 1001_test.sql',
    );
    await expect(migrate(database.pool, schemaOf('create table other (id int);', [second]))).rejects.toThrow(
      'another text of 1000_baseline',
    );
    expect(await migrate(database.pool, schemaOf(`-- What it is for.\n\n${table}`, [second]))).toEqual([]);
  });

  it('refuses a database whose record of a migration was changed', async () => {
    await migrate(database.pool, grown);
    await database.pool.query("update schema_migrations set checksum = 'x' where version = 1000");
    await expect(migrate(database.pool, grown)).rejects.toThrow('another text of 1000_baseline');
  });
});

it('refuses a PostgreSQL older than 15 before it touches anything', async () => {
  const old = await startOldPostgres();
  const pool = createPool(old.url);
  await expect(migrate(pool)).rejects.toThrow('Trunkline needs PostgreSQL 15 or newer; this server is PostgreSQL 14.');
  await pool.end();
  await old.close();
  expect(old.queries.filter((query) => /\b(create|insert|lock)\b/i.test(query))).toEqual([]);
});
