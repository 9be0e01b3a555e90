/** Cancelling an order: money, numbers, callbacks. */

import { describe, expect, test } from 'vitest';
import { expectDescribed } from '../../../../test/support/described-callbacks.ts';
import { advanceClock, runDueJobs } from '../../../../test/support/environment.ts';
import { startReceiver } from '../../../../test/support/receiver.ts';
import { capacityItem, didItem, getBalance, postOrder } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { updateAccount } from '../../../business/accounts/accounts.ts';
import { signCallback } from '../../../business/callbacks/callback-request.ts';

const shop = useOpened(() => openShop());

describe('cancelling', () => {
  test('a pending order gives all money and numbers back while nothing was handed over', async () => {
    await shop.env.pool.query('delete from available_dids');
    const stocked = await shop.stock('london', 2);
    const before = await shop.getBalance();
    const { id } = (await shop.postOrder([didItem({ sku_id: shop.skus.london, qty: 3 })])).resource;
    expect((await shop.client.delete(`/orders/${id}`)).status).toBe(204);
    expect([await shop.getOrderStatus(id), await shop.getBalance()]).toEqual(['canceled', before]);
    expect((await shop.client.get('/available_dids')).resources).toHaveLength(stocked.length);
    await shop.expectCleanBooks();
  });

  test('numbers that were handed over are taken back, and keep their setup price', async () => {
    await shop.env.pool.query('delete from available_dids');
    const stocked = await shop.stock('london', 2);
    const before = await shop.getBalance();
    const { id } = (await shop.postOrder([didItem({ sku_id: shop.skus.london, qty: 3 })])).resource;
    await runDueJobs(shop.env);
    expect(await shop.getNumbers(id)).toEqual(stocked);
    expect((await shop.client.delete(`/orders/${id}`)).status).toBe(204);
    expect(await shop.getOrderStatus(id)).toBe('canceled');
    expect(await shop.getNumbers(id)).toEqual([]);
    // Two setups at 0.50 stay with the house.
    expect(Number(before) - Number(await shop.getBalance())).toBe(1);
    await shop.expectCleanBooks();
    expect((await shop.client.get('/available_dids')).resources.map(({ attributes }) => attributes.number)).toEqual(
      stocked,
    );
    const history = (await shop.client.get(`/did_history?filter[did_number]=${stocked[0]}&sort=created_at`)).resources;
    expect(history.map(({ attributes: { action } }) => action).sort()).toEqual(['assigned', 'removed']);
    await runDueJobs(shop.env);
    expect(await shop.getOrderStatus(id)).toBe('canceled');
  });

  /**
   * A customer at 20 % VAT, two of whose three numbers (0.60 setup, 2.40 a month) came at once, on the 15th of June or
   * July.
   */
  async function waitingCustomer() {
    await shop.env.pool.query('delete from available_dids');
    await shop.stock('london', 2);
    const { client, accountId } = await shop.addAccount({ balance: '20' });
    await updateAccount(shop.env, accountId, { vatRate: '20' });
    const { id } = (await postOrder(client, [didItem({ sku_id: shop.skus.london, qty: 3 })])).resource;
    await runDueJobs(shop.env);
    return { id, client, getBalance: () => getBalance(client) };
  }

  test('after weeks of use only the unused days are given back, with their tax', async () => {
    const me = await waitingCustomer();
    expect(await me.getBalance()).toBe('11.00');
    await advanceClock(shop.env, 10 * 86_400);
    expect((await me.client.delete(`/orders/${me.id}`)).status).toBe(204);
    // In full for the one that never came, 20 of 30 days (1.33 and 0.27 of tax) for each of the others.
    expect(await me.getBalance()).toBe('17.20');
    await shop.expectCleanBooks();
  });

  test('in a later month only the unused days of that month are given back', async () => {
    const me = await waitingCustomer();
    const expiry = async () => Date.parse(String((await me.client.get('/dids')).resources[0]?.attributes.expires_at));
    const expires = await expiry();
    await advanceClock(shop.env, (expires - shop.clock.now().getTime()) / 1000 + 86_400);
    expect(await me.getBalance()).toBe('6.20');
    const left = ((await expiry()) - expires) / 86_400_000;
    expect((await me.client.delete(`/orders/${me.id}`)).status).toBe(204);
    const net = Math.round((200 * (left - 1)) / left);
    const back = 300 + 2 * (net + Math.round(net * 0.2));
    expect(await me.getBalance()).toBe((6.2 + back / 100).toFixed(2));
    await shop.expectCleanBooks();
  });

  test('not what is completed, not channels, not of another account', async () => {
    await shop.stock('london', 1);
    const { id } = (await shop.postOrder([didItem({ sku_id: shop.skus.london })])).resource;
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
    const capacity = await shop.postOrder([capacityItem({ capacity_pool_id: shop.poolId, qty: 2 })]);
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
    const done = (await shop.postOrder(items, { callback_url: url, callback_method: 'post' })).resource;
    const waits = (await shop.postOrder(items, { callback_url: url, callback_method: 'get' })).resource;
    expect(done.attributes).toMatchObject({ callback_url: url, callback_method: 'post' });
    await runDueJobs(shop.env);
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.body).toBe(`id=${done.id}&status=completed&type=orders`);
    const entries = [{ id: done.id, status: 'completed', type: 'orders' }];
    expect(receiver.received[0]?.headers['x-service-signature']).toBe(signCallback(shop.key, url, entries));
    await shop.client.delete(`/orders/${waits.id}`);
    await runDueJobs(shop.env);
    expect(receiver.received[1]?.url).toBe(`${url}&id=${waits.id}&status=canceled&type=orders`);
    expectDescribed(receiver.received);
    await receiver.close();
  });

  test.each([
    [{ callback_url: 'https://h.test/' }, 'callback_method'],
    [{ callback_method: 'get' }, 'callback_url'],
    [{ callback_url: 'ftp://h.test/', callback_method: 'get' }, 'callback_url'],
    [{ callback_url: 'https://h.test/', callback_method: 'put' }, 'callback_method'],
  ])('%j is refused at %s', async (more, attribute) => {
    const response = await shop.postOrder([didItem({ sku_id: shop.skus.london })], more);
    expect(response.status).toBe(422);
    expect(response.errors[0]?.source?.pointer).toBe(`/data/attributes/${attribute}`);
  });
});
