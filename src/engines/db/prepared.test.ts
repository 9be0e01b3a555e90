/** Statements get a name when they repeat, or have one of their own on the hot paths. */
import { glob, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { planEachTime, StatementNames } from './prepared.ts';

const test = useOpened(() => createTestEnvironment());

it('names a text when it occurs for the second time, always the same', () => {
  const names = new StatementNames();
  expect(names.of('select $1')).toBeNull();
  const name = names.of('select $1');
  expect(name).toMatch(/^tl_[0-9a-f]{20}$/);
  expect(names.of('select $1')).toBe(name);
});

it.each([
  'select * from accounts where id = $1',
  'select "o".* from "orders" as "o" where "o"."id" = $1',
  'delete from dids where id = $1 returning *',
])('never prepares %s: a later migration may add a column', (text) => {
  const names = new StatementNames();
  for (let n = 0; n < 3; n += 1) expect(names.of(text)).toBeNull();
});

it('never prepares what must be planned for its values', () => {
  const names = new StatementNames();
  for (let n = 0; n < 3; n += 1)
    expect(names.of(`select id from orders where ${planEachTime} reference like $1`)).toBeNull();
});

it('keeps no more than 400 names, and none of lists of values', () => {
  const names = new StatementNames();
  const long = `insert into t values ${'($1), '.repeat(2_000)}($1)`;
  for (let n = 0; n < 1_000; n += 1) for (let twice = 0; twice < 2; twice += 1) names.of(`select ${n} + $1`);
  for (let n = 0; n < 2; n += 1) expect(names.of(long)).toBeNull();
  expect([names.of('select 399 + $1'), names.of('select 400 + $1')]).toEqual([expect.any(String), null]);
});

it('texts that occur once keep no other from being prepared', () => {
  const names = new StatementNames();
  for (let n = 0; n < 1_000; n += 1) names.of(`select ${n} + $1`);
  names.of('select $1');
  expect(names.of('select $1')).toMatch(/^tl_/);
});

it('prepares the statements of Kysely, and what it returns stays the same', async () => {
  const { db, pool } = test.env;
  const client = await pool.connect();
  const prepared = async () =>
    (await client.query(`select count(*)::int as n from pg_prepared_statements where statement like '%prepare_me%'`))
      .rows[0].n;
  const ask = async () => (await client.query('select $1::int as prepare_me', [7])).rows;
  try {
    expect([await ask(), await prepared()]).toEqual([[{ prepare_me: 7 }], 0]);
    expect([await ask(), await prepared()]).toEqual([[{ prepare_me: 7 }], 1]);
    expect([await ask(), await prepared()]).toEqual([[{ prepare_me: 7 }], 1]);
  } finally {
    client.release();
  }
  const names = () => db.selectFrom('accounts').select('name').where('name', '=', 'nobody').execute();
  for (let n = 0; n < 3; n += 1) expect(await names()).toEqual([]);
});

it('no two statements share a name, and each begins with its room', async () => {
  const named = /\bname: '(?<name>[a-z_]+)',\s*text\b|runPrepared\([^,]+,\s*'(?<name>[a-z_]+)'/g;
  const seen = new Map<string, string>();
  for await (const file of glob('src/**/*.ts', { exclude: ['**/*.test.ts'] })) {
    for (const { groups } of (await readFile(file, 'utf8')).matchAll(named)) {
      const name = groups?.name ?? '';
      expect(seen.get(name), name).toBeUndefined();
      expect(file.split(/[/.-]/)).toContain(name.split('_', 1)[0]);
      seen.set(name, file);
    }
  }
  expect(seen.size).toBeGreaterThan(25);
});
