/** Cancelling one number of a pending order, with its refund. */
import { expect, test } from 'vitest';
import { advanceClock, runDueJobs } from '../../../../test/support/environment.ts';
import { didItem, getBalance, getNumbers, getOrder, patchDid, postOrder } from '../../../../test/support/requests.ts';
import { type GroupName, openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';

const shop = useOpened(() => openShop());

type Waiting = Awaited<ReturnType<typeof waitingOrder>>;

/** A customer with 10.00 whose order of so many numbers at 2.50 waits for all but one of them. */
async function waitingOrder(qty = 2, group: GroupName = 'london') {
  await shop.env.pool.query('delete from available_dids');
  const { client } = await shop.addAccount({ balance: '10' });
  const [number = ''] = await shop.stock(group, 1);
  const orderId = (await postOrder(client, [didItem({ sku_id: shop.skus[group], qty })])).resource.id;
  await runDueJobs(shop.env);
  const didId = (await client.get(`/dids?filter[number]=${number}`)).resources[0]?.id ?? '';
  return {
    client,
    number,
    orderId,
    didId,
    patchDid: (terminated: boolean, query = '') =>
      client.patch(`/dids/${didId}${query}`, { data: { id: didId, type: 'dids', attributes: { terminated } } }),
    getBalance: () => getBalance(client),
    getNumbers: () => getNumbers(client),
    getOrder: () => getOrder(client, orderId),
  };
}

test('a number of a pending order is cancelled with a refund of its month, once, and leaves the account', async () => {
  const me = await waitingOrder();
  expect(await me.getBalance()).toBe('5.00');
  const cancelled = await me.patchDid(true);
  expect(cancelled.resource.attributes).toMatchObject({ terminated: true, blocked: true, billing_cycles_count: 0 });
  expect(await me.getBalance()).toBe('7.00');
  expect((await me.patchDid(true)).status).toBe(200);
  expect(await me.getBalance()).toBe('7.00');
  await shop.expectCleanBooks();

  const refused = await me.patchDid(false);
  expect([refused.status, refused.errors[0]?.source?.pointer]).toEqual([422, '/data/attributes/terminated']);
  await runDueJobs(shop.env);
  expect(await me.getNumbers()).toEqual([]);
  const history = (await me.client.get('/did_history')).resources.map(({ attributes: a }) => `${a.action} ${a.method}`);
  expect(history.sort()).toEqual(['assigned api3', 'canceled api3', 'removed system']);
  await shop.expectCleanBooks();
  // Or the numbers of the next tests would be for this order.
  await me.client.delete(`/orders/${me.orderId}`);
});

test('after ten of its thirty days, a number of a pending order is refunded for twenty', async () => {
  const me = await waitingOrder();
  await advanceClock(shop.env, 10 * 86_400);
  await me.patchDid(true);
  // Two thirds of 2.00, and nothing of the setup.
  expect(await me.getBalance()).toBe('6.33');
  await shop.expectCleanBooks();
  await me.client.delete(`/orders/${me.orderId}`);
  expect(await me.getBalance()).toBe('8.83');
  await shop.expectCleanBooks();
});

test('the order goes on: what it still waits for comes, but not the number that was given back', async () => {
  const me = await waitingOrder();
  await me.patchDid(true);
  await runDueJobs(shop.env);
  expect(await me.getOrder()).toMatchObject({ status: 'pending', amount: '5.0', items: [{ attributes: { qty: 2 } }] });
  const [another] = await shop.stock('london', 1);
  await runDueJobs(shop.env);
  expect(await me.getNumbers()).toEqual([another]);
  expect(await me.getOrder()).toMatchObject({ status: 'completed', amount: '5.0' });
  expect(await me.getBalance()).toBe('7.00');
  const [free] = (await me.client.get('/available_dids')).resources;
  expect(free?.attributes.number).toBe(me.number);
  await shop.expectCleanBooks();

  const { id = '' } = (await me.client.get('/dids')).resources[0] ?? {};
  await patchDid(me.client, id, { terminated: true });
  expect(await me.getBalance()).toBe('7.00');
});

test('cancelling the order afterwards gives back only the rest', async () => {
  const me = await waitingOrder(3);
  expect(await me.getBalance()).toBe('2.50');
  await me.patchDid(true);
  expect((await me.client.delete(`/orders/${me.orderId}`)).status).toBe(204);
  expect(await me.getBalance()).toBe('9.50');
  await runDueJobs(shop.env);
  expect(await me.getBalance()).toBe('9.50');
  await shop.expectCleanBooks();
});

test.each([
  ['cancelled by the customer', async (me: Waiting) => me.patchDid(true)],
  ['taken back when no registration came', () => advanceClock(shop.env, 30 * 86_400)],
])('a number without its registration, %s, is refunded once though its order is pending', async (_what, end) => {
  const me = await waitingOrder(2, 'registered');
  await end(me);
  await runDueJobs(shop.env);
  expect([await me.getBalance(), await me.getNumbers()]).toEqual(['7.50', []]);
  await shop.expectCleanBooks();
  await me.client.delete(`/orders/${me.orderId}`);
  expect(await me.getBalance()).toBe('10.00');
  await shop.expectCleanBooks();
});

test('a number and its order cancelled at the same moment are refunded once', async () => {
  const me = await waitingOrder(3);
  const [patched, deleted] = await Promise.all([me.patchDid(true), me.client.delete(`/orders/${me.orderId}`)]);
  expect([200, 404]).toContain(patched.status);
  expect(deleted.status).toBe(204);
  await runDueJobs(shop.env);
  expect([await me.getBalance(), await me.getNumbers()]).toEqual(['9.50', []]);
  await shop.expectCleanBooks();
});

test('a number cancelled while its order is being completed: refunded if it was first, kept and paid if not', async () => {
  const me = await waitingOrder();
  await shop.stock('london', 1);
  const [patched] = await Promise.all([me.patchDid(true), runDueJobs(shop.env)]);
  expect(patched.status).toBe(200);
  await runDueJobs(shop.env);
  expect((await me.getOrder()).status).toBe('completed');
  const refunded = (await me.getBalance()) === '7.00';
  expect(await me.getBalance()).toBe(refunded ? '7.00' : '5.00');
  expect((await me.getNumbers()).includes(me.number)).toBe(!refunded);
  await shop.expectCleanBooks();
});

test('the answer is the cancelled number, however soon the number is gone', async () => {
  const me = await waitingOrder();
  // Sooner than any job: at the commit itself.
  await shop.env.pool.query(`
    create function gone() returns trigger language plpgsql as 'begin delete from dids where id = new.id; return null; end';
    create constraint trigger gone after update on dids deferrable initially deferred
      for each row when (new.terminated) execute function gone()`);
  const cancelled = await me.patchDid(true, '?include=order,did_group,voice_in_trunk');
  await shop.env.pool.query('drop function gone cascade');
  expect(cancelled.status).toBe(200);
  expect(cancelled.resource.attributes).toMatchObject({ number: me.number, terminated: true, billing_cycles_count: 0 });
  expect(cancelled.included.map(({ type }) => type).sort()).toEqual(['did_groups', 'orders']);
  expect((await me.client.get(`/dids/${me.didId}`)).status).toBe(404);
});
