/** The files of functions, triggers and views, and what the database has, are the same. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { createPool } from './pool.ts';
import { shippedSchema } from './schema-files.ts';

const { baseline, moveOver, migrations, functions } = await shippedSchema();

let database: TestDatabase;
let pool: ReturnType<typeof createPool>;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, { max: 1 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const named = async (sql: string): Promise<string[]> =>
  (await pool.query<{ name: string }>(sql)).rows.map(({ name }) => name).sort();

it('every function and view has one file, and every file makes one', async () => {
  const made = await named(
    `select case when n.nspname = 'public' then '' else n.nspname || '.' end || p.proname as name
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname in ('public', 'environment_time')
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
     union all
     select relname from pg_class where relkind in ('v', 'm') and relnamespace = 'public'::regnamespace`,
  );
  expect(made).toEqual(functions.map(({ name }) => name).sort());
});

it('every trigger is made by the file of its function', async () => {
  const made = await named(
    `select p.proname || ': ' || t.tgname || ' on ' || t.tgrelid::regclass as name
     from pg_trigger t join pg_proc p on p.oid = t.tgfoid
     where not t.tgisinternal and t.tgparentid = 0`,
  );
  const declared = functions.flatMap(({ name: file, triggers }) =>
    triggers.map(({ name, table }) => `${file}: ${name} on ${table}`),
  );
  expect(made).toEqual(declared.sort());
});

it('neither the baseline nor a migration defines a function, a trigger or a view', () => {
  const defining = /\b(create|alter)\s+(or\s+replace\s+)?(constraint\s+)?(function|procedure|trigger|view|rule)\b/i;
  const found = [baseline, moveOver, ...migrations].filter(({ sql }) => defining.test(sql.replaceAll(/--.*$/gm, '')));
  expect(found.map(({ name }) => name)).toEqual([]);
});

it('what the files say is valid: tables, columns and functions that they name exist', async () => {
  const client = await pool.connect();
  try {
    await client.query('begin; set local check_function_bodies = on');
    for (const { sql } of functions) await client.query(sql);
    // PostgreSQL checks bodies of the language sql; of plpgsql it parses them.
    await client.query('rollback');
  } finally {
    client.release();
  }
});
