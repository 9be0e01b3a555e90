/** Buying and lowering channels, and their renewal. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { advanceClock, runDueJobs } from '../../../../test/support/environment.ts';
import { startReceiver } from '../../../../test/support/receiver.ts';
import { capacityItem, postOrder, postSharedGroup } from '../../../../test/support/requests.ts';
import { openShopWithinAMonth, type Shop } from '../../../../test/support/shop.ts';

let shop: Shop;
beforeEach(async () => {
  await shop?.close();
  shop = await openShopWithinAMonth();
});
afterAll(() => shop.close());

describe('buying channels', () => {
  test('the check value of the contract, complete at once, with its callback', async () => {
    const receiver = await startReceiver();
    await shop.env.pool.query('update capacity_pool_templates set minimum_qty_per_order = 1');
    const response = await shop.postCapacityOrder(1, { callback_url: receiver.url, callback_method: 'post' });
    expect(response.status).toBe(201);
    expect(response.resource.attributes).toMatchObject({
      description: 'Capacity',
      status: 'completed',
      amount: '44.35',
      items: [
        {
          type: 'capacity_order_items',
          attributes: {
            qty: 1,
            nrc: '25.0',
            mrc: '19.35',
            prorated_mrc: true,
            billed_from: '2018-12-28',
            billed_to: '2019-01-20',
            capacity_pool_id: shop.poolId,
          },
        },
      ],
    });
    expect(await shop.getBalance()).toBe('955.65');
    expect(await shop.getPool()).toEqual({
      name: 'Standard',
      renew_date: '2019-01-21',
      total_channels_count: 1,
      assigned_channels_count: 0,
      minimum_limit: 3,
      minimum_qty_per_order: 1,
      setup_price: '25.0',
      monthly_price: '25.0',
      metered_rate: '0.02',
    });
    await runDueJobs(shop.env);
    expect(receiver.received.map(({ body }) => body)).toEqual([
      `id=${response.resource.id}&status=completed&type=orders`,
    ]);
    await receiver.close();
  });

  test('too few, an unknown pool, and too little money', async () => {
    expect((await shop.postCapacityOrder(1)).errors).toEqual([
      {
        title: 'should be at least 2',
        detail: 'items/0/qty - should be at least 2',
        code: '100',
        source: { pointer: '/data/attributes/items/0/qty' },
        status: '422',
      },
    ]);
    const unknown = await shop.postOrder([capacityItem({ capacity_pool_id: randomUUID(), qty: 2 })]);
    expect(unknown.errors[0]?.source?.pointer).toBe('/data/attributes/items/0/capacity_pool_id');
    const other = await shop.addAccount({ balance: '1' });
    const items = [capacityItem({ capacity_pool_id: shop.poolId, qty: 2 })];
    expect((await postOrder(other.client, items)).status).toBe(422);
    const poor = await shop.postCapacityOrder(100);
    expect(poor.errors[0]).toMatchObject({ title: 'Insufficient balance' });
    expect((await shop.getPool()).total_channels_count).toBe(0);
  });

  test('from the break on, its own price', async () => {
    const response = await shop.postCapacityOrder(30);
    expect(response.resource.attributes.items).toMatchObject([{ attributes: { nrc: '10.0', mrc: '15.48' } }]);
    const included = (await shop.client.get(`/capacity_pools/${shop.poolId}?include=qty_based_pricings,countries`))
      .included;
    expect(included.map(({ type, attributes }) => [type, attributes.qty ?? attributes.iso])).toEqual(
      expect.arrayContaining([
        ['qty_based_pricings', 30],
        ['countries', 'GB'],
      ]),
    );
  });
});

test('a pool is renewed every month on its day; unpaid it is suspended and tried daily', async () => {
  await shop.postCapacityOrder(4);
  const before = Number(await shop.getBalance());
  await advanceClock(shop.env, 24 * 86_400);
  expect(before - Number(await shop.getBalance())).toBe(100);
  expect((await shop.getPool()).renew_date).toBe('2019-02-21');
  const [order] = (await shop.client.get('/orders?sort=-created_at')).resources;
  expect(order?.attributes).toMatchObject({
    description: 'Capacity',
    amount: '100.0',
    created_at: '2019-01-21T00:00:00.000Z',
    items: [{ attributes: { qty: 4, nrc: '0.0', mrc: '25.0', billed_from: '2019-01-21', billed_to: '2019-02-20' } }],
  });
  await shop.env.pool.query('update accounts set credit = -balance where id = $1', [shop.accountId]);
  await advanceClock(shop.env, 40 * 86_400);
  const { rows } = await shop.env.pool.query('select suspended from capacity_pools where id = $1', [shop.poolId]);
  expect(rows).toEqual([{ suspended: true }]);
  await shop.env.pool.query('update accounts set credit = 0 where id = $1', [shop.accountId]);
  await advanceClock(shop.env, 86_400);
  const paid = await shop.env.pool.query('select suspended from capacity_pools where id = $1', [shop.poolId]);
  expect(paid.rows).toEqual([{ suspended: false }]);
  // A month from the day it was paid: neither the time without service is charged nor more than a month given.
  const [late] = (await shop.client.get('/orders?sort=-created_at')).resources;
  expect(late?.attributes).toMatchObject({
    items: [{ attributes: { qty: 4, billed_from: '2019-03-03', billed_to: '2019-04-02' } }],
  });
  expect((await shop.getPool()).renew_date).toBe('2019-04-03');
});

describe('channels for a pool whose month is due', () => {
  const spendAll = async () => {
    await shop.env.pool.query('update accounts set credit = -balance where id = $1', [shop.accountId]);
    await advanceClock(shop.env, 30 * 86_400);
  };
  const allow = (amount: number) =>
    shop.env.pool.query('update accounts set credit = $2 - balance where id = $1', [shop.accountId, amount]);

  test('the month is paid first, and the new channels share the month that begins', async () => {
    await shop.postCapacityOrder(4);
    await spendAll();
    const before = Number(await shop.getBalance());
    await allow(1000);
    const bought = await shop.postCapacityOrder(2);
    expect(bought.resource.attributes).toMatchObject({
      amount: '100.0',
      items: [{ attributes: { mrc: '25.0', prorated_mrc: false, billed_from: '2019-01-27', billed_to: '2019-02-26' } }],
    });
    expect(await shop.getPool()).toMatchObject({ total_channels_count: 6, renew_date: '2019-02-27' });
    expect(before - Number(await shop.getBalance())).toBe(200);
  });

  test('who cannot pay for both gets neither', async () => {
    await shop.postCapacityOrder(4);
    await spendAll();
    await allow(150);
    const before = await shop.getBalance();
    expect((await shop.postCapacityOrder(2)).errors[0]?.title).toBe('Insufficient balance');
    expect([await shop.getBalance(), (await shop.getPool()).total_channels_count]).toEqual([before, 4]);
  });
});

describe('lowering a pool', () => {
  const lower = (total: number) =>
    shop.client.patch(`/capacity_pools/${shop.poolId}`, {
      data: { id: shop.poolId, type: 'capacity_pools', attributes: { total_channels_count: total } },
    });

  test('down to what is assigned and to the minimum, never up, never refunded', async () => {
    await shop.postCapacityOrder(10);
    const before = await shop.getBalance();
    expect((await lower(8)).resource.attributes.total_channels_count).toBe(8);
    expect(await shop.getBalance()).toBe(before);
    expect((await lower(2)).errors).toEqual([
      {
        title: 'should be at least 3',
        detail: 'total_channels_count - should be at least 3',
        code: '100',
        source: { pointer: '/data/attributes/total_channels_count' },
        status: '422',
      },
    ]);
    await postSharedGroup(shop.client, shop.poolId, { name: 'Office', shared_channels_count: 5 });
    expect((await lower(4)).errors[0]?.title).toBe('should be at least 5');
    expect((await lower(9)).status).toBe(422);
    expect((await shop.getPool()).total_channels_count).toBe(8);
  });
});
