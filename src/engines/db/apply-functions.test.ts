/**
 * Functions, triggers and views follow their files: what changed is applied, what vanished is dropped, the rest is left
 * alone.
 */
import { describe, expect, it } from 'vitest';
import { useEmptyDatabase } from '../../../test/support/empty-database.ts';
import { migrate } from './migrate.ts';
import { schemaOf } from './schema-files.fixture.ts';

const tables = 'create table goods (id int, price int);\ncreate table log (what text);';
const body = (name: string, text: string, form = 'returns int language sql as') =>
  `create or replace function ${name} ${form} $$ ${text} $$;`;
const noting = (event: string) =>
  `${body('noted()', 'begin insert into log values (tg_op); return null; end', 'returns trigger language plpgsql as')}
create or replace trigger goods_noted after ${event} on goods
  for each row execute function noted();`;
const files = {
  'a/doubled.sql': body('doubled(n int)', 'select n * 2'),
  'a/tripled.sql': body('tripled(n int)', 'select n + doubled(n)'),
  'b/noted.sql': noting('insert'),
  'b/priced.sql': 'create or replace view priced as select id, doubled(price) as price from goods;',
};
const withFiles = (changes: Record<string, string | undefined> = {}, migrations: string[] = []) => {
  const all = Object.entries({ ...files, ...changes }).flatMap(([file, sql]) => (sql ? [[file, sql] as const] : []));
  return schemaOf(tables, migrations, Object.fromEntries(all));
};

describe('functions', () => {
  const database = useEmptyDatabase();
  const rows = async (text: string) => (await database.pool.query({ text, rowMode: 'array' })).rows.flat();
  /** Name → what changes when it is made again or replaced. */
  const made = async (): Promise<Record<string, string>> => {
    const { rows: found } = await database.pool.query<{ name: string; mark: string }>(
      `select oid::regprocedure::text as name, oid || ' ' || xmin as mark from pg_proc where pronamespace = 'public'::regnamespace
         and proname in ('doubled', 'tripled', 'noted')
       union all select tgname, oid || ' ' || xmin from pg_trigger where not tgisinternal
       union all select relname, oid || ' ' || xmin from pg_class where relkind = 'v' and relnamespace = 'public'::regnamespace`,
    );
    return Object.fromEntries(found.map(({ name, mark }) => [name, mark]));
  };
  const changedBy = async (work: () => Promise<unknown>) => {
    const before = await made();
    await work();
    const after = await made();
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.filter((name) => before[name] !== after[name]).sort();
  };

  it('are made whatever their order, and left alone when nothing changed', async () => {
    await migrate(database.pool, withFiles());
    expect(await rows('select tripled(7)')).toEqual([21]);
    expect(await changedBy(async () => expect(await migrate(database.pool, withFiles())).toEqual([]))).toEqual([]);
  });

  it('are applied again when their text changed, and no other is touched', async () => {
    await migrate(database.pool, withFiles());
    const text = body('doubled(n int)', 'select n + n');
    const changed = await changedBy(async () =>
      expect(await migrate(database.pool, withFiles({ 'a/doubled.sql': text }))).toEqual(['doubled']),
    );
    expect(changed).toEqual(['doubled(integer)']);
  });

  it('are applied again when their record was changed', async () => {
    await migrate(database.pool, withFiles());
    await database.pool.query("update schema_functions set checksum = 'x' where name = 'tripled'");
    expect(await changedBy(() => migrate(database.pool, withFiles()))).toEqual(['tripled(integer)']);
    expect(await migrate(database.pool, withFiles())).toEqual([]);
  });

  it('are dropped with their triggers, and views, when their file is gone', async () => {
    await migrate(database.pool, withFiles());
    const left = withFiles({ 'b/noted.sql': undefined, 'b/priced.sql': undefined });
    expect((await migrate(database.pool, left)).sort()).toEqual(['noted (dropped)', 'priced (dropped)']);
    expect(Object.keys(await made()).sort()).toEqual(['doubled(integer)', 'tripled(integer)']);
    expect(await migrate(database.pool, left)).toEqual([]);
  });

  it('may get other parameters and results, though a view depends on them; the former form is dropped', async () => {
    await migrate(database.pool, withFiles());
    const moreParameters = withFiles({
      'a/doubled.sql': body('doubled(n int, times int default 2)', 'select n * times'),
      'b/priced.sql': 'create or replace view priced as select id, doubled(price, 2) as price from goods;',
    });
    await migrate(database.pool, moreParameters);
    expect(Object.keys(await made()).filter((name) => name.startsWith('doubled'))).toEqual([
      'doubled(integer,integer)',
    ]);
    const otherResult = withFiles({
      'a/doubled.sql': body('doubled(n int)', 'select n * 2.0', 'returns numeric language sql as'),
      'a/tripled.sql': body('tripled(n int)', 'select 3 * n'),
    });
    await migrate(database.pool, otherResult);
    await database.pool.query('insert into goods values (1, 5)');
    expect(await rows('select price from priced')).toEqual(['10.0']);
    expect(Object.keys(await made()).filter((name) => name.startsWith('doubled'))).toEqual(['doubled(integer)']);
  });

  it('drop a trigger that their file does not make any more; a view may lose a column', async () => {
    const two = `${files['b/noted.sql']}\ncreate or replace trigger goods_noted_too after update on goods
  for each row execute function noted();`;
    await migrate(database.pool, withFiles({ 'b/noted.sql': two }));
    expect(Object.keys(await made())).toContain('goods_noted_too');
    await migrate(
      database.pool,
      withFiles({ 'b/priced.sql': 'create or replace view priced as select id from goods;' }),
    );
    expect(Object.keys(await made()).filter((name) => name.startsWith('goods'))).toEqual(['goods_noted']);
    expect(await rows("select attname from pg_attribute where attrelid = 'priced'::regclass")).toEqual(['id']);
  });

  it('are made again when a migration has dropped what they stood on', async () => {
    await migrate(database.pool, withFiles());
    const step = 'drop table goods cascade; create table goods (id int, price int)';
    await migrate(database.pool, withFiles({}, [step]));
    await database.pool.query('insert into goods values (1, 5)');
    expect([await rows('select price from priced'), await rows('select what from log')]).toEqual([[10], ['INSERT']]);
  });

  it('leave functions of the operator alone', async () => {
    await migrate(database.pool, withFiles());
    await database.pool.query('create function own_report() returns int language sql as $$ select 1 $$');
    await migrate(database.pool, withFiles({ 'a/tripled.sql': undefined }));
    expect(await rows('select own_report()')).toEqual([1]);
  });

  it('change nothing when one fails, and say which file it was', async () => {
    await migrate(database.pool, withFiles());
    const broken = withFiles({
      'a/doubled.sql': body('doubled(n int)', 'select 1'),
      'a/tripled.sql': body('tripled(n nothing)', 'select 1'),
    });
    const changed = await changedBy(() =>
      expect(migrate(database.pool, broken)).rejects.toThrow(
        /^src\/engines\/db\/functions\/a\/tripled.sql failed at "nothing\).*: type nothing does not exist$/,
      ),
    );
    expect(changed).toEqual([]);
  });

  it('of a newer version are not replaced by an older one that is started beside it', async () => {
    await migrate(database.pool, withFiles());
    await database.pool.query(
      "update schema_functions set trunkline = '99.10.0', checksum = 'x' where name = 'doubled'",
    );
    const changed = await changedBy(() =>
      expect(migrate(database.pool, withFiles())).rejects.toThrow(
        'The database has the functions of Trunkline 99.10.0',
      ),
    );
    expect(changed).toEqual([]);
  });
});
