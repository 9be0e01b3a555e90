/** Two workflows on one order or pool: the second waits for the first, and goes by what it finds then. */

import { expect, test } from 'vitest';
import { runDueJobs } from '../../../../test/support/environment.ts';
import { didItem, getOrder, postOrder } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { fulfilOrder } from './fulfil-orders.ts';

const shop = useOpened(() => openShop());

/** Runs `work` while another transaction has locked the row; that one then changes it and commits. */
async function overtaken<T>(row: string, change: string, work: () => Promise<T>): Promise<T> {
  const first = await shop.env.pool.connect();
  try {
    await first.query('begin');
    await first.query(`select from ${row} for update`);
    const second = work();
    await expect.poll(waitingForLocks).toBe(1);
    await first.query(change);
    await first.query('commit');
    return await second;
  } finally {
    first.release(true);
  }
}

async function waitingForLocks(): Promise<number> {
  const { rows } = await shop.env.pool.query(
    `select count(*)::int as waiting from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0].waiting;
}

test('an order that is canceled while it is about to be completed hands over nothing', async () => {
  const [number] = await shop.stock('london', 1);
  const { id } = (await shop.postOrder([didItem({ sku_id: shop.skus.london })])).resource;
  await overtaken(
    `orders where id = '${id}'`,
    `update orders set status = 'canceled', finished_at = created_at where id = '${id}'`,
    () => fulfilOrder(shop.env, id),
  );
  expect(await shop.getOrderStatus(id)).toBe('canceled');
  const did = await shop.env.db
    .selectFrom('dids')
    .select('activated_at')
    .where('number', '=', number ?? '')
    .execute();
  expect(did).toEqual([{ activated_at: null }]);
  await runDueJobs(shop.env);
  expect(await shop.getOrderStatus(id)).toBe('canceled');
});

test('an account whose order is held by another transaction keeps only itself waiting', async () => {
  const other = await shop.addAccount({ balance: '100' });
  await shop.stock('london', 2);
  const items = [didItem({ sku_id: shop.skus.london })];
  const held = (await shop.postOrder(items)).resource.id;
  const free = (await postOrder(other.client, items)).resource.id;
  const holder = await shop.env.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from orders where id = $1 for update', [held]);
    const waiting = fulfilOrder(shop.env, held);
    await expect.poll(waitingForLocks).toBe(1);
    await fulfilOrder(shop.env, free);
    expect(await getOrder(other.client, free)).toMatchObject({ status: 'completed' });
    await holder.query('commit');
    await waiting;
  } finally {
    holder.release(true);
  }
  expect(await shop.getOrderStatus(held)).toBe('completed');
});

test('channels bought at the same moment add up', async () => {
  const bought = await overtaken(
    `capacity_pools where id = '${shop.poolId}'`,
    `update capacity_pools set total_channels_count = total_channels_count + 5 where id = '${shop.poolId}'`,
    () => shop.postCapacityOrder(3),
  );
  expect(bought.status).toBe(201);
  expect((await shop.getPool()).total_channels_count).toBe(8);
});
