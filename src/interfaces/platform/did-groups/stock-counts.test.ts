/** The counts of stock that the database keeps are exact at every moment, inside a transaction as well. */
import { beforeAll, expect, test } from 'vitest';
import { startTestServer } from '../../../../test/support/server.ts';
import { idOf, loadSmallCatalogue } from '../../../../test/support/small-catalogue.ts';
import { useOpened } from '../../../../test/support/use.ts';

const server = useOpened(() => startTestServer());
beforeAll(() => loadSmallCatalogue(server.env));

/** What is in the counts and what was not folded into them yet, next to the numbers themselves. */
const differences = `
  with groups as (
    select g.id, g.available_dids_enabled as enabled, g.country_id, g.region_id, g.city_id,
      (select count(*)::int from available_dids a where a.did_group_id = g.id) as n,
      coalesce((select sum(h.change)::int from stock_shelf_changes h where h.did_group_id = g.id), 0) as pending
    from did_groups g
  ), expected as (
    select 'group' as scope, id, n - pending as available from groups
    union all select s.scope, s.id, sum(g.n - g.pending) from groups g join stock_count_scopes s on s.did_group_id = g.id group by 1, 2
  )
  select * from expected e full join stock_counts c using (scope, id) where coalesce(e.available, 0) <> coalesce(c.available, 0)`;

async function requireExact(): Promise<void> {
  const { rows } = await server.env.pool.query(differences);
  expect(rows).toEqual([]);
}

async function totals(): Promise<number[]> {
  const filters = [
    '',
    `filter[country.id]=${idOf('countries', 'GB')}`,
    `filter[did_group.id]=${idOf('did_groups', 'London')}`,
  ];
  const found: number[] = [];
  for (const filter of filters) {
    const { meta } = await server.client.get(`/available_dids?${filter}`);
    found.push(Number(meta.total_records));
    // Features are not counted beforehand: this total is summed from the shelves.
    const { meta: summed } = await server.client.get(`/available_dids?${filter}&filter[did_group.features]=voice_in`);
    expect(summed.total_records).toBe(meta.total_records);
  }
  return found;
}

test('follow sales, folds, and groups whose numbers can be picked or not', async () => {
  const { pool } = server.env;
  await requireExact();
  const [all = 0, country = 0, group = 0] = await totals();
  const london = idOf('did_groups', 'London');
  const sold = `delete from available_dids where number in
    (select number from available_dids where did_group_id = $1 order by number limit 1)`;
  await pool.query(sold, [london]);
  await requireExact();
  expect(await totals()).toEqual([all - 1, country - 1, group - 1]);
  await pool.query('select stock_shelves_fold()');
  await requireExact();
  expect(await totals()).toEqual([all - 1, country - 1, group - 1]);
  // With a change that is not folded while the group is taken off, and put back.
  await pool.query(sold, [london]);
  await pool.query('update did_groups set available_dids_enabled = false where id = $1', [london]);
  await requireExact();
  expect(await totals()).toEqual([all - group, country - group, 0]);
  await pool.query('update did_groups set available_dids_enabled = true where id = $1', [london]);
  await requireExact();
  expect(await totals()).toEqual([all - 2, country - 2, group - 2]);
});

test('are part of the transaction that sells', async () => {
  const client = await server.env.pool.connect();
  try {
    const read = async (runner: Pick<typeof client, 'query'>) => {
      const { rows } = await runner.query(
        `select (select available from stock_counts where scope = 'all') + coalesce((select sum(change) from stock_shelf_changes), 0) as n`,
      );
      return Number(rows[0].n);
    };
    await client.query('select stock_shelves_fold()');
    const before = await read(client);
    await client.query('begin');
    await client.query(
      'delete from available_dids where number in (select number from available_dids order by number limit 1)',
    );
    await client.query('select stock_shelves_fold()');
    expect(await read(client)).toBe(before - 1);
    expect(await read(server.env.pool)).toBe(before);
    await client.query('rollback');
    expect(await read(client)).toBe(before);
  } finally {
    client.release();
  }
});
