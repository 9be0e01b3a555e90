/** What is shown of the stock agrees everywhere, and the demo catalogue does not run out in a sandbox. */
import { expect, test } from 'vitest';
import { runDueJobs } from '../../../../test/support/environment.ts';
import { didItem, postReservation } from '../../../../test/support/requests.ts';
import { type GroupName, openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';

const shop = useOpened(() => openShop({ account: { balance: '10000' } }));

const stockOf = async (group: GroupName) =>
  (await shop.client.get(`/did_groups/${shop.groups[group]}`)).resource.meta as Record<string, unknown>;
const listed = async (path: string) => (await shop.client.get(path)).resources.length;

test('a reserved number is counted nowhere', async () => {
  await shop.stock('fixed', 1);
  await shop.stock('newyork', 1);
  const group = shop.groups.fixed;
  const seen = async () => ({
    meta: await stockOf('fixed'),
    numbers: await listed(`/available_dids?filter[did_group.id]=${group}`),
    groups: await listed(`/did_groups?filter[id]=${group}&filter[is_available]=true`),
    counted: await listed(`/did_groups?filter[id]=${group}&filter[meta.total_count_gteq]=1`),
    countries: await listed('/countries?filter[iso]=DE&filter[is_available]=true'),
    prefixes: await listed('/nanpa_prefixes?filter[did_group.is_available]=true'),
  });
  expect(await seen()).toMatchObject({
    meta: { is_available: true, total_count: 1 },
    ...{ numbers: 1, groups: 1, counted: 1, countries: 1, prefixes: 1 },
  });
  const reservations = [
    await postReservation(shop.client, await shop.availableDid('fixed')),
    await postReservation(shop.client, await shop.availableDid('newyork')),
  ];
  expect(await seen()).toMatchObject({
    meta: { is_available: false, total_count: 0 },
    ...{ numbers: 0, groups: 0, counted: 0, countries: 0, prefixes: 0 },
  });
  for (const { resource } of reservations) await shop.client.delete(`/did_reservations/${resource.id}`);
  expect(await seen()).toMatchObject({ meta: { is_available: true, total_count: 1 }, numbers: 1, prefixes: 1 });
});

test('a group of the demo catalogue is restocked before it runs out; others are not', async () => {
  const buy = async (qty: number) => {
    expect((await shop.postOrder([didItem({ sku_id: shop.skus.london, qty })])).status).toBe(201);
    await runDueJobs(shop.env);
  };
  await shop.stock('london', 40);
  await buy(25);
  expect(await stockOf('london')).toMatchObject({ total_count: 15 });

  await shop.env.pool.query(`update environment_state set catalogue = 'demo'`);
  await buy(1);
  expect(await stockOf('london')).toMatchObject({ total_count: 50 });
  await buy(10);
  expect(await stockOf('london')).toMatchObject({ total_count: 40 });
  // More than there is: the back order is delivered, and the next client still finds numbers.
  await buy(100);
  expect(await stockOf('london')).toMatchObject({ is_available: true, total_count: 50 });
  const { rows } = await shop.env.pool.query('select count(*)::int as count from dids where did_group_id = $1', [
    shop.groups.london,
  ]);
  expect(rows).toEqual([{ count: 136 }]);
  await shop.expectCleanBooks();
});
