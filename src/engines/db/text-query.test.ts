/** Rows read as text, prepared or not. */
import { expect, it } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { connectionOf, createPool } from './pool.ts';
import { readText } from './text-query.ts';

const test = useOpened(() => createTestEnvironment());
const text = `select n as "→n", $1::text as word, null::int as none, (n % 2 = 0) as even, $2::text[] as list from generate_series(1, 3) n`;
const values = ['žluťoučký "电话"', ['a', 'b c']];
const rows = [1, 2, 3].map((n) => ({
  '→n': String(n),
  word: values[0],
  none: null,
  even: n % 2 === 0 ? 't' : 'f',
  list: '{a,"b c"}',
}));

it('reads values as text, prepared or not, the first time and again', async () => {
  for (const name of [null, null, 'text_query', 'text_query', 'text_query']) {
    expect(await readText(test.env.pool, name, text, values)).toEqual(rows);
  }
});

it('reads on many connections at once', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => readText(test.env.pool, 'text_query', text, values)));
  for (const each of all) expect(each).toEqual(rows);
});

it('prepares nothing behind a pooler', async () => {
  const url = connectionOf(test.env.pool);
  const pool = createPool(url, { max: 1, directUrl: url });
  try {
    for (let n = 0; n < 3; n += 1) expect(await readText(pool, 'text_query', text, values)).toEqual(rows);
    const { rows: prepared } = await pool.query('select name from pg_prepared_statements');
    expect(prepared).toEqual([]);
  } finally {
    await pool.end();
  }
});

it('fails as the statement fails, and the pool goes on', async () => {
  const divide = (by: number) => readText(test.env.pool, 'text_query_division', 'select 6 / $1::int as n', [by]);
  expect(await divide(2)).toEqual([{ n: '3' }]);
  for (let n = 0; n < 3; n += 1) await expect(divide(0)).rejects.toMatchObject({ code: '22012' });
  await expect(readText(test.env.pool, 'text_query_wrong', 'select wrong', [])).rejects.toMatchObject({
    code: '42703',
  });
  expect(await divide(3)).toEqual([{ n: '2' }]);
});

it('refuses a value that cannot be sent before anything is sent', async () => {
  const circle: { self?: object } = {};
  circle.self = circle;
  await expect(readText(test.env.pool, null, 'select $1::jsonb', [circle])).rejects.toThrow();
  expect(await readText(test.env.pool, null, 'select 1 as n', [])).toEqual([{ n: '1' }]);
});

it('names each of several columns of one name', async () => {
  expect(await readText(test.env.pool, 'text_query_twice', 'select 1 as a, 2 as a, 3 as b', [])).toEqual([
    { a: '2', b: '3' },
  ]);
});
