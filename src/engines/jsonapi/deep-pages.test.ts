/** A deep page costs no computed columns of the rows before it. */
import { beforeAll, expect, test } from 'vitest';
import { engineContext } from '../../../test/support/engine-context.ts';
import { annaId, openLibrary } from '../../../test/support/library/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { text } from './attributes.ts';
import { declare } from './declare.ts';
import { parseQuery } from './query.ts';
import { type EngineContext, Registry, type Resource } from './resource.ts';
import { selectPage } from './select.ts';

const library = useOpened(() => openLibrary());
let context: EngineContext;
beforeAll(async () => {
  const { pool } = library;
  await pool.query('create sequence computed minvalue 0 start 0');
  await pool.query(`insert into readers (account_id, name) select $1, 'reader ' || n from generate_series(1, 40) n`, [
    annaId,
  ]);
  context = engineContext({
    tenant: { accountId: annaId },
    query: async (statement, values) => (await pool.query(statement, values)).rows,
  });
});

/** Each evaluation of its column takes the next value of a sequence, so the sequence counts them. */
const readers: Resource = declare('account', 'readers', {
  attributes: { name: text(), costly: text({ column: "nextval('computed')::text" }) },
  sort: ['name'],
  defaultSort: 'name',
});

test('the columns of rows before the page are not computed', async () => {
  const raw = [
    ['page[number]', '4'],
    ['page[size]', '5'],
  ] as const;
  const query = parseQuery(new Registry([readers]), readers, raw, context, true);
  const { rows, total } = await selectPage(context, readers, query);
  expect([rows.length, total]).toEqual([5, 40]);
  const { rows: counted } = await library.pool.query("select nextval('computed')::int as evaluations");
  expect(counted[0].evaluations).toBe(5);
});
