/** Orders of numbers that a supplier has: two Trunklines in a row, over real HTTP. */
import { expect, test } from 'vitest';
import { runDueJobs } from '../../../../test/support/environment.ts';
import {
  didItem,
  patchDid,
  postOrder,
  postReservation,
  reservationDocument,
} from '../../../../test/support/requests.ts';
import { openSupplyChain } from '../../../../test/support/supply-chain.ts';
import { useOpened } from '../../../../test/support/use.ts';

const chain = useOpened(openSupplyChain);

/** The numbers that retail holds at wholesale. */
async function there(): Promise<Record<string, unknown>[]> {
  const { resources } = await chain.wholesale.client.get('/dids?page[size]=100');
  return resources.map(({ attributes }) => attributes);
}

const numberThere = async (number: unknown) => (await there()).find((did) => did.number === number);

/** The id there of a number that is for sale there. */
async function theirId(number: string): Promise<string> {
  const { rows } = await chain.wholesale.env.pool.query('select id from available_dids where number = $1', [number]);
  return rows[0].id;
}

/** A number of wholesale that retail shows, by its id here. */
async function shown(number: string): Promise<string> {
  chain.retail.clock.advance(11);
  const digits = `filter[number_contains]=${number}`;
  const { resources } = await chain.retail.client.get(
    `/available_dids?filter[did_group.id]=${chain.retail.groups.london}&${digits}`,
  );
  const [found] = resources;
  if (found === undefined) throw new Error(`${number} is not shown`);
  return found.id;
}

test('stock of a supplier is shown, counted, and keeps its ids', async () => {
  await chain.wholesale.stock('london', 3);
  await chain.count();
  const { client, groups } = chain.retail;
  const group = (await client.get(`/did_groups/${groups.london}`)).resource;
  expect(group?.meta).toMatchObject({ is_available: true, total_count: 3 });
  const list = `/available_dids?filter[did_group.id]=${groups.london}`;
  const first = await client.get(list);
  expect(first.meta.total_count).toBe(3);
  chain.retail.clock.advance(11);
  const again = await client.get(list);
  expect(again.resources.map(({ id }) => id)).toEqual(first.resources.map(({ id }) => id));
  expect((await client.get(`/did_groups/${groups.london}`)).resource?.meta?.total_count).toBe(3);
});

test('an order of so many is bought there number by number, and completes when theirs does', async () => {
  await chain.wholesale.stock('london', 2);
  chain.retail.clock.advance(11);
  const before = await chain.retail.getBalance();
  const order = await chain.retail.postOrder([didItem({ sku_id: chain.retail.skus.london, qty: 2 })]);
  expect([order.status, order.resource.attributes.status]).toEqual([201, 'pending']);
  await chain.settle(5);
  expect(await chain.retail.getOrderStatus(order.resource.id)).toBe('completed');
  const numbers = await chain.retail.getNumbers(order.resource.id);
  expect(numbers).toHaveLength(2);
  expect((await there()).map(({ number }) => number)).toEqual(expect.arrayContaining(numbers));
  expect(Number(before) - Number(await chain.retail.getBalance())).toBe(5);
  await chain.retail.expectCleanBooks();
});

test('a reservation is one there for as long, is given back with ours, and is what an order buys', async () => {
  const [number = ''] = await chain.wholesale.stock('london', 1);
  const id = await shown(number);
  const held = await postReservation(chain.retail.client, id);
  expect(held.status).toBe(201);
  const reservations = async () => (await chain.wholesale.client.get('/did_reservations')).resources;
  const [theirs] = await reservations();
  expect(held.resource.attributes.expires_at).toBe(theirs?.attributes.expires_at);
  expect((await chain.retail.client.delete(`/did_reservations/${held.resource.id}`)).status).toBe(204);
  await chain.settle();
  expect(await reservations()).toEqual([]);

  const again = await postReservation(chain.retail.client, id);
  const sku_id = chain.retail.skus.london;
  const order = await chain.retail.postOrder([didItem({ sku_id, did_reservation_id: again.resource.id })]);
  await chain.settle(3);
  expect(await chain.retail.getNumbers(order.resource.id)).toEqual([number]);
  expect(await numberThere(number)).toBeDefined();
});

test('a reservation with an Idempotency-Key asks the supplier before its transaction', async () => {
  const [number = ''] = await chain.wholesale.stock('london', 1);
  const { client } = chain.retail;
  const document = reservationDocument(await shown(number));
  const options = { headers: { 'idempotency-key': 'held once' } };
  const first = await client.post('/did_reservations', document, options);
  expect(first.status).toBe(201);
  expect((await client.post('/did_reservations', document, options)).resource.id).toBe(first.resource.id);
  expect((await chain.wholesale.client.get('/did_reservations')).resources).toHaveLength(1);
  await client.delete(`/did_reservations/${first.resource.id}`);
  await chain.settle();
});

test('a chosen number that is gone there cancels the order, with its reason and the money back', async () => {
  const [number = ''] = await chain.wholesale.stock('london', 1);
  const id = await shown(number);
  const other = await chain.wholesale.addAccount({ balance: '10' });
  const bought = await postOrder(other.client, [
    didItem({ sku_id: chain.wholesale.skus.london, available_did_id: await theirId(number) }),
  ]);
  expect(bought.status).toBe(201);
  const before = await chain.retail.getBalance();
  const order = await chain.retail.postOrder([didItem({ sku_id: chain.retail.skus.london, available_did_id: id })]);
  await chain.settle(3);
  expect(await chain.retail.getOrderStatus(order.resource.id)).toBe('canceled');
  expect(await chain.retail.getBalance()).toBe(before);
  const { rows } = await chain.retail.env.pool.query('select canceled_because from orders where id = $1', [
    order.resource.id,
  ]);
  expect(rows[0].canceled_because).toContain('is invalid');
  await chain.retail.expectCleanBooks();
});

test('numbers that are not shown are ordered without choosing; own and supplied numbers make one order', async () => {
  const [own = ''] = await chain.retail.stock('fixed', 1);
  const theirs = await chain.wholesale.stock('fixed', 3);
  await chain.wholesale.env.pool.query('update did_groups set available_dids_enabled = false where id = $1', [
    chain.wholesale.groups.fixed,
  ]);
  await chain.retail.env.pool.query(
    'update supplier_groups set available_dids_enabled = false where did_group_id = $1',
    [chain.retail.groups.fixed],
  );
  await chain.count();
  const item = didItem({ sku_id: chain.retail.skus.fixed, qty: 5 });
  expect((await chain.retail.postOrder([item])).errors[0]?.title).toBe('exceeds available DIDs count');
  const order = await chain.retail.postOrder([didItem({ sku_id: chain.retail.skus.fixed, qty: 4 })]);
  await chain.settle();
  expect(await chain.retail.getOrderStatus(order.resource.id)).toBe('pending');
  await chain.settle(3);
  expect(await chain.retail.getOrderStatus(order.resource.id)).toBe('completed');
  expect((await chain.retail.getNumbers(order.resource.id)).toSorted()).toEqual([own, ...theirs].toSorted());
  expect((await chain.retail.client.get(`/did_groups/${chain.retail.groups.fixed}`)).resource?.meta?.total_count).toBe(
    0,
  );
  await chain.retail.expectCleanBooks();
});

test('a pending order that its customer cancels leaves nothing there', async () => {
  const [number = ''] = await chain.wholesale.stock('london', 1);
  const id = await shown(number);
  const before = await chain.retail.getBalance();
  const order = await chain.retail.postOrder([didItem({ sku_id: chain.retail.skus.london, available_did_id: id })]);
  await runDueJobs(chain.retail.env);
  expect((await chain.retail.client.delete(`/orders/${order.resource.id}`)).status).toBe(204);
  await chain.settle(10);
  expect(await chain.retail.getBalance()).toBe(before);
  expect(await numberThere(number)).toBeUndefined();
  expect((await chain.wholesale.client.get('/did_reservations')).resources).toEqual([]);
});

test('a number that is to end does so there, is restored there, and is given back when it leaves', async () => {
  await chain.wholesale.stock('newyork', 1);
  const order = await chain.retail.postOrder([didItem({ sku_id: chain.retail.skus.newyork })]);
  await chain.settle(3);
  const [did] = (await chain.retail.client.get(`/dids?filter[order.id]=${order.resource.id}`)).resources;
  const { id = '', attributes: { number } = {} } = did ?? {};
  await patchDid(chain.retail.client, id, { terminated: true });
  await chain.settle();
  expect(await numberThere(number)).toMatchObject({ terminated: true });
  await patchDid(chain.retail.client, id, { terminated: false });
  await chain.settle();
  expect(await numberThere(number)).toMatchObject({ terminated: false });
  await patchDid(chain.retail.client, id, { billing_cycles_count: 0 });
  await chain.settle();
  expect(await numberThere(number)).toMatchObject({ terminated: false, billing_cycles_count: 0 });
});
