/** Indexes of missing migrations are built before them, and taken over as they are. */
import { expect, test } from 'vitest';
import { useEmptyDatabase } from '../../../test/support/empty-database.ts';
import { buildIndexes } from './build-indexes.ts';
import { migrate } from './migrate.ts';
import { schemaOf } from './schema-files.fixture.ts';

const tables = `create table plain (id int, word text);
create table parts (id int, word text) partition by list (id);
create table parts_1 partition of parts for values in (1);
create table parts_2 partition of parts for values in (2);`;
const ground = schemaOf(tables);
const indexing = schemaOf(tables, [
  `create index plain_word on plain (word, id);
create index parts_word on parts (lower(word)) where id > 0;
alter table plain add column later int;
create index plain_later on plain (later);
create table new (id int);
create index new_id on new (id);`,
]);

const database = useEmptyDatabase();
/** Name → the file that holds the index: another one if it is built anew. */
async function indexes(): Promise<Record<string, { file: string; parent: string | null }>> {
  const { rows } = await database.pool.query(
    `select c.relname as name, c.relfilenode::text as file, h.inhparent::regclass::text as parent
     from pg_index i join pg_class c on c.oid = i.indexrelid left join pg_inherits h on h.inhrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and i.indisvalid and not i.indisunique order by 1`,
  );
  return Object.fromEntries(rows.map(({ name, file, parent }) => [name, { file, parent }]));
}

test('what can be built before is built, once, and the migration takes it', async () => {
  await migrate(database.pool, ground);
  const lines: string[] = [];
  await buildIndexes(database.pool, indexing, (line) => lines.push(line));
  const names = ['parts_1_parts_word', 'parts_2_parts_word', 'plain_word'];
  const before = await indexes();
  expect(Object.keys(before)).toEqual(names);
  expect(lines.map((line) => line.replace(/[\d.]+ s$/, 'N s'))).toEqual([
    ...['plain_word: N s', 'parts_1_parts_word: N s', 'parts_2_parts_word: N s', 'plain_later: left to its migration'],
  ]);
  await migrate(database.pool, indexing);
  const after = await indexes();
  expect(names.map((name) => after[name]?.file)).toEqual(names.map((name) => before[name]?.file));
  expect(Object.keys(after)).toEqual([
    'new_id',
    'parts_1_parts_word',
    'parts_2_parts_word',
    'parts_word',
    'plain_later',
    'plain_word',
  ]);
  expect([after.parts_1_parts_word?.parent, after.parts_2_parts_word?.parent]).toEqual(['parts_word', 'parts_word']);
  await buildIndexes(database.pool, indexing, (line) => lines.push(line));
  expect(lines).toHaveLength(4);
});

test('a build that was broken off is made anew; a database without a schema is left alone', async () => {
  await buildIndexes(database.pool, indexing, () => undefined);
  await migrate(database.pool, ground);
  await database.pool.query('create index plain_word on plain (word)');
  await database.pool.query(`update pg_index set indisvalid = false where indexrelid = 'plain_word'::regclass`);
  await buildIndexes(database.pool, indexing, () => undefined);
  const { rows } = await database.pool.query(`select pg_get_indexdef('plain_word'::regclass) as text`);
  expect(rows[0].text).toContain('(word, id)');
  await migrate(database.pool, indexing);
});
