import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runDueJobs } from '../../../test/support/environment.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import { capacityItem, didItem, openShop, type Shop } from '../../../test/support/shop.ts';
import { signCallback } from '../../callbacks/signature.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.close());

describe('cancelling', () => {
  test('a pending order gives money and numbers back, the handed over ones too', async () => {
    await shop.env.pool.query('delete from available_dids');
    const stocked = await shop.stock('london', 2);
    const before = await shop.balance();
    const { id } = (await shop.order([didItem({ sku_id: shop.skus.london, qty: 3 })])).resource;
    await runDueJobs(shop.env);
    expect(await shop.numbersOf(id)).toEqual(stocked);
    expect((await shop.client.delete(`/orders/${id}`)).status).toBe(204);
    expect(await shop.statusOf(id)).toBe('canceled');
    expect(await shop.numbersOf(id)).toEqual([]);
    expect(await shop.balance()).toBe(before);
    expect((await shop.client.get('/available_dids')).resources.map(({ attributes }) => attributes.number)).toEqual(
      stocked,
    );
    const history = (await shop.client.get(`/did_history?filter[did_number]=${stocked[0]}&sort=created_at`)).resources;
    expect(history.map(({ attributes: { action } }) => action).sort()).toEqual(['assigned', 'removed']);
    await runDueJobs(shop.env);
    expect(await shop.statusOf(id)).toBe('canceled');
  });

  test('not what is completed, not channels, not of another account', async () => {
    await shop.stock('london', 1);
    const { id } = (await shop.order([didItem({ sku_id: shop.skus.london })])).resource;
    expect((await (await shop.addAccount()).client.delete(`/orders/${id}`)).status).toBe(404);
    await runDueJobs(shop.env);
    const notPending = {
      title: 'Order not pending',
      detail: 'Order not pending',
      code: '100',
      source: { pointer: '/data' },
      status: '422',
    };
    expect((await shop.client.delete(`/orders/${id}`)).errors).toEqual([notPending]);
    const capacity = await shop.order([capacityItem({ capacity_pool_id: shop.poolId, qty: 2 })]);
    expect((await shop.client.delete(`/orders/${capacity.resource.id}`)).errors).toEqual([notPending]);
  });
});

describe('callbacks', () => {
  test('one when it is completed, one when it is cancelled, signed with the key that ordered', async () => {
    const receiver = await startReceiver();
    await shop.env.pool.query('delete from available_dids');
    await shop.stock('london', 1);
    const url = `${receiver.url}/orders?tenant=7`;
    const items = [didItem({ sku_id: shop.skus.london })];
    const done = (await shop.order(items, { callback_url: url, callback_method: 'post' })).resource;
    const waits = (await shop.order(items, { callback_url: url, callback_method: 'get' })).resource;
    expect(done.attributes).toMatchObject({ callback_url: url, callback_method: 'post' });
    await runDueJobs(shop.env);
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.body).toBe(`id=${done.id}&status=completed&type=orders`);
    const entries = [{ id: done.id, status: 'completed', type: 'orders' }];
    expect(receiver.received[0]?.headers['x-service-signature']).toBe(signCallback(shop.key, url, entries));
    await shop.client.delete(`/orders/${waits.id}`);
    await runDueJobs(shop.env);
    expect(receiver.received[1]?.url).toBe(`${url}&id=${waits.id}&status=canceled&type=orders`);
    await receiver.close();
  });

  test.each([
    [{ callback_url: 'https://h.test/' }, 'callback_method'],
    [{ callback_method: 'get' }, 'callback_url'],
    [{ callback_url: 'ftp://h.test/', callback_method: 'get' }, 'callback_url'],
    [{ callback_url: 'https://h.test/', callback_method: 'put' }, 'callback_method'],
  ])('%j is refused at %s', async (more, attribute) => {
    const answer = await shop.order([didItem({ sku_id: shop.skus.london })], more);
    expect(answer.status).toBe(422);
    expect(answer.errors[0]?.source?.pointer).toBe(`/data/attributes/${attribute}`);
  });
});
