/** Orders for more numbers than are in stock. */

import { describe, expect, test } from 'vitest';
import { runDueJobs } from '../../../../test/support/environment.ts';
import { startQuietWorker } from '../../../../test/support/quiet-worker.ts';
import { didItem } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { runFulfilOrder } from './fulfil-orders.ts';

const shop = useOpened(() => openShop());

describe('back ordering', () => {
  test('what is there comes now, the rest when stock arrives, oldest order first', async () => {
    await shop.env.pool.query('delete from available_dids');
    const [first] = await shop.stock('london', 1);
    const item = (qty: number) => [didItem({ sku_id: shop.skus.london, qty })];
    const older = (await shop.postOrder(item(3))).resource.id;
    const newer = (await shop.postOrder(item(1))).resource.id;
    await runDueJobs(shop.env);
    expect(await shop.getNumbers(older)).toEqual([first]);
    expect(await shop.getOrderStatus(older)).toBe('pending');
    const [second, third] = await shop.stock('london', 2);
    await runDueJobs(shop.env);
    expect(await shop.getNumbers(older)).toEqual([first, second, third]);
    expect([await shop.getOrderStatus(older), await shop.getOrderStatus(newer)]).toEqual(['completed', 'pending']);
    const [fourth] = await shop.stock('london', 1);
    await runDueJobs(shop.env);
    expect(await shop.getNumbers(newer)).toEqual([fourth]);
    expect(await shop.getOrderStatus(newer)).toBe('completed');
  });

  test('accepted by a process with a worker: what is there comes now, the rest when stock arrives', async () => {
    await shop.env.pool.query('delete from available_dids');
    const [first] = await shop.stock('london', 1);
    const worker = await startQuietWorker(shop.env, runFulfilOrder);
    try {
      const { id } = (await shop.postOrder([didItem({ sku_id: shop.skus.london, qty: 2 })])).resource;
      // The job looks again once the order is committed: stock may have arrived meanwhile.
      await expect.poll(() => shop.getNumbers(id)).toEqual([first]);
      expect(await shop.getOrderStatus(id)).toBe('pending');
      const [second] = await shop.stock('london', 1);
      await runDueJobs(shop.env);
      expect([await shop.getNumbers(id), await shop.getOrderStatus(id)]).toEqual([[first, second], 'completed']);
    } finally {
      await worker.stop();
    }
  });

  test('switched off, or in a group that has none: refused, and nothing is kept', async () => {
    await shop.env.pool.query('delete from available_dids');
    await shop.stock('london', 1);
    await shop.stock('fixed', 1);
    const before = await shop.getBalance();
    const refused = await shop.postOrder([didItem({ sku_id: shop.skus.london, qty: 2 })], {
      allow_back_ordering: false,
    });
    expect(refused.errors).toEqual([
      {
        title: 'exceeds available DIDs count',
        detail: 'items/0/qty - exceeds available DIDs count',
        code: '100',
        source: { pointer: '/data/attributes/items/0/qty' },
        status: '422',
      },
    ]);
    expect((await shop.postOrder([didItem({ sku_id: shop.skus.fixed, qty: 2 })])).status).toBe(422);
    expect(await shop.getBalance()).toBe(before);
    expect((await shop.client.get('/available_dids')).meta.total_records).toBe(2);
  });
});

test('2022-05-10 waits for missing numbers only where the order says so', async () => {
  const old = { 'x-service-api-version': '2022-05-10' };
  const items = [didItem({ sku_id: shop.skus.registered, qty: 2 })];
  expect((await shop.postOrder(items, {}, old)).errors).toMatchObject([
    { detail: 'items/0/qty - exceeds available DIDs count' },
  ]);
  expect((await shop.postOrder(items, { allow_back_ordering: true }, old)).resource.attributes.status).toBe('Pending');
  expect((await shop.postOrder(items)).resource.attributes.status).toBe('pending');
});
