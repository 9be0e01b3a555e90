/** Ordering numbers: by quantity, by number, by reservation, by prefix. */

import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { runDueJobs } from '../../../../test/support/environment.ts';
import { login, PanelClient } from '../../../../test/support/panel-client.ts';
import { didItem, postOrder, postReservation } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';

const shop = useOpened(() => openShop());

test('an order is charged at once, pending first, and completed by a job that brings the numbers', async () => {
  const stocked = await shop.stock('london', 3);
  const before = await shop.getBalance();
  const response = await shop.postOrder([didItem({ sku_id: shop.skus.london, qty: 2 })], {
    external_reference_id: 'po-17',
  });
  expect(response.status).toBe(201);
  const { id, attributes } = response.resource;
  expect(attributes).toEqual({
    reference: expect.stringMatching(/^[A-Z]{3}-\d{6}$/),
    description: 'DID',
    amount: '5.0',
    status: 'pending',
    created_at: '2026-06-15T12:00:00.000Z',
    items: [
      {
        type: 'did_order_items',
        attributes: {
          qty: 2,
          nrc: '0.5',
          mrc: '2.0',
          prorated_mrc: false,
          billed_from: null,
          billed_to: null,
          setup_price: '0.5',
          monthly_price: '2.0',
          did_group_id: shop.groups.london,
        },
      },
    ],
    callback_url: null,
    callback_method: null,
    external_reference_id: 'po-17',
  });
  expect(Object.keys(response.resource)).toEqual(['id', 'type', 'attributes']);
  expect(Number(before) - Number(await shop.getBalance())).toBe(5);
  expect(await shop.getNumbers(id)).toEqual([]);

  await runDueJobs(shop.env);
  const { resource } = await shop.client.get(`/orders/${id}`);
  expect(resource.attributes).toMatchObject({ status: 'completed' });
  expect(resource.attributes.items).toMatchObject([
    { attributes: { billed_from: '2026-06-15', billed_to: '2026-07-15' } },
  ]);
  expect(await shop.getNumbers(id)).toEqual(stocked.slice(0, 2));
  expect((await shop.client.get(`/did_groups/${shop.groups.london}`)).resource.meta).toMatchObject({ total_count: 1 });
  const [did] = (await shop.client.get(`/dids?filter[order.id]=${id}`)).resources;
  expect(did?.attributes).toEqual({
    number: stocked[0],
    description: null,
    blocked: false,
    awaiting_registration: false,
    terminated: false,
    emergency_enabled: false,
    capacity_limit: null,
    channels_included_count: 2,
    dedicated_channels_count: 0,
    billing_cycles_count: null,
    created_at: '2026-06-15T12:00:00.000Z',
    expires_at: '2026-07-15T12:00:00.000Z',
  });
  const history = (await shop.client.get(`/did_history?filter[did_number]=${stocked[0]}`)).resources;
  expect(history.map(({ attributes: { action, method } }) => [action, method])).toEqual([['assigned', 'api3']]);
});

test('the history says how a number was ordered: in the panel, at once or by a job later', async () => {
  const theirs = { ...login, name: 'Panel', balance: '100' };
  await shop.addAccount(theirs);
  const browser = new PanelClient(shop.url);
  await browser.signIn();
  const methods = async (qty: number, more: object = {}) => {
    await shop.stock('london', qty);
    const items = [didItem({ sku_id: shop.skus.london, qty })];
    const { resource } = await browser.post('/v3/orders', { data: { type: 'orders', attributes: { items, ...more } } });
    await runDueJobs(shop.env);
    const dids = (await browser.get(`/v3/dids?filter[order.id]=${resource.id}`)).resources;
    const numbers = dids.map(({ attributes }) => attributes.number).join(',');
    const history = await browser.get(`/v3/did_history?filter[did_number]=${numbers}`);
    return history.resources.map(({ attributes: { action, method } }) => [action, method]);
  };
  expect(await methods(1)).toEqual([['assigned', 'user_panel']]);
  // With a callback a job completes it.
  const callback = { callback_url: 'https://h.test/', callback_method: 'post' };
  expect(await methods(1, callback)).toEqual([['assigned', 'user_panel']]);
});

describe('ways of ordering', () => {
  test('one particular number', async () => {
    const [, wanted] = await shop.stock('london', 3);
    const { rows } = await shop.env.pool.query('select id from available_dids where number = $1', [wanted]);
    const ordered = await shop.postOrder([didItem({ sku_id: shop.skus.london, available_did_id: rows[0].id })]);
    expect(ordered.resource.attributes.items).toMatchObject([{ attributes: { qty: 1 } }]);
    await runDueJobs(shop.env);
    expect(await shop.getNumbers(ordered.resource.id)).toEqual([wanted]);
    const again = await shop.postOrder([didItem({ sku_id: shop.skus.london, available_did_id: rows[0].id })]);
    expect(again.errors).toEqual([
      {
        title: 'is invalid',
        detail: 'items/0/available_did_id - is invalid',
        code: '100',
        source: { pointer: '/data/attributes/items/0/available_did_id' },
        status: '422',
      },
    ]);
  });

  test('a reserved number uses the reservation up; a lapsed or foreign one is refused', async () => {
    await shop.stock('london', 3);
    const reserve = async (client = shop.client) =>
      (await postReservation(client, await shop.availableDid('london'))).resource.id;
    const item = (id: string) => [didItem({ sku_id: shop.skus.london, did_reservation_id: id })];
    const mine = await reserve();
    expect((await shop.postOrder(item(mine))).status).toBe(201);
    expect((await shop.client.get(`/did_reservations/${mine}`)).status).toBe(404);
    const foreign = await reserve((await shop.addAccount()).client);
    expect((await shop.postOrder(item(foreign))).errors[0]?.source?.pointer).toBe(
      '/data/attributes/items/0/did_reservation_id',
    );
    const lapsed = await reserve();
    shop.clock.advance(600);
    expect((await shop.postOrder(item(lapsed))).status).toBe(422);
    await runDueJobs(shop.env);
  });

  test('a number that somebody else holds is skipped, until the hold lapses', async () => {
    await shop.env.pool.query('delete from available_dids');
    const [number] = await shop.stock('london', 1);
    const other = await shop.addAccount();
    await postReservation(other.client, await shop.availableDid('london'));
    const items = [didItem({ sku_id: shop.skus.london })];
    const none = await shop.postOrder(items, { allow_back_ordering: false });
    expect(none.errors[0]).toMatchObject({
      title: 'exceeds available DIDs count',
      detail: 'items/0/qty - exceeds available DIDs count',
    });
    shop.clock.advance(600);
    const bought = await shop.postOrder(items, { allow_back_ordering: false });
    await runDueJobs(shop.env);
    expect(await shop.getNumbers(bought.resource.id)).toEqual([number]);
  });

  test('by NANPA prefix', async () => {
    const [number] = await shop.stock('newyork', 2);
    const item = { sku_id: shop.skus.newyork, nanpa_prefix_id: shop.nanpaPrefixId };
    const ordered = await shop.postOrder([didItem(item)]);
    await runDueJobs(shop.env);
    expect(await shop.getNumbers(ordered.resource.id)).toEqual([number]);
    const wrong = await shop.postOrder([didItem({ ...item, sku_id: shop.skus.london })]);
    expect(wrong.errors[0]?.source?.pointer).toBe('/data/attributes/items/0/nanpa_prefix_id');
    expect((await shop.postOrder([didItem({ ...item, nanpa_prefix_id: randomUUID() })])).status).toBe(422);
  });

  test('several items, a limited term, and nothing to pay', async () => {
    await shop.stock('london', 3);
    await shop.stock('newyork', 1);
    const before = await shop.getBalance();
    const ordered = await shop.postOrder([
      didItem({ sku_id: shop.skus.free, qty: 2, billing_cycles_count: 5 }),
      didItem({ sku_id: shop.skus.newyork }),
    ]);
    expect(ordered.resource.attributes).toMatchObject({ amount: '2.5' });
    await runDueJobs(shop.env);
    expect(await shop.getNumbers(ordered.resource.id)).toHaveLength(3);
    expect(Number(before) - Number(await shop.getBalance())).toBe(2.5);
    const limited = await shop.client.get(
      `/dids?filter[order.id]=${ordered.resource.id}&filter[billing_cycles_count]=5`,
    );
    expect(limited.meta.total_records).toBe(2);
    expect(limited.resources[0]?.attributes.channels_included_count).toBe(0);
  });
});

test('twelve thousand numbers in one order', async () => {
  const { client } = await shop.addAccount({ balance: '30000' });
  await shop.stock('london', 12_000);
  const items = Array.from({ length: 12 }, () => didItem({ sku_id: shop.skus.london, qty: 1000 }));
  const made = await postOrder(client, items, { allow_back_ordering: false });
  expect([made.status, made.resource.attributes.amount]).toEqual([201, '30000.0']);
  await runDueJobs(shop.env);
  expect((await client.get('/dids?page[size]=1')).meta.total_records).toBe(12_000);
  expect((await client.get('/did_history?page[size]=1')).meta.total_records).toBe(12_000);
  expect((await client.get(`/orders/${made.resource.id}`)).resource.attributes.status).toBe('completed');
});

test('prices in orders include VAT, prices of offers do not', async () => {
  await shop.stock('london', 1);
  const taxed = await shop.addAccount({ balance: '10', vatRate: '21' });
  const { resource } = await postOrder(taxed.client, [didItem({ sku_id: shop.skus.london })]);
  expect(resource.attributes).toMatchObject({
    amount: '3.03',
    items: [{ attributes: { nrc: '0.61', mrc: '2.42' } }],
  });
  await runDueJobs(shop.env);
  const { rows } = await shop.env.pool.query(
    `select ledger, sum(amount)::text as amount from ledger_entries where account_id = $1 group by 1 order by 1`,
    [taxed.accountId],
  );
  expect(rows).toEqual([
    { ledger: 'customer', amount: '6.9700' },
    { ledger: 'funding', amount: '-10.0000' },
    { ledger: 'holds', amount: '0.0000' },
    { ledger: 'revenue', amount: '2.5000' },
    { ledger: 'vat', amount: '0.5300' },
  ]);
});

test('orders are found by reference, status, own reference and time', async () => {
  const { client, accountId } = await shop.addAccount({ balance: '100' });
  await shop.stock('london', 3);
  const items = [didItem({ sku_id: shop.skus.london })];
  const one = (await postOrder(client, items, { external_reference_id: 'a' })).resource;
  shop.clock.advance(86_400);
  await postOrder(client, items, { external_reference_id: null });
  const count = async (query: string) => (await client.get(`/orders?${query}`)).meta.total_records;
  const day = String(one.attributes.created_at).slice(0, 10);
  expect(await count(`filter[reference]=${one.attributes.reference}`)).toBe(1);
  expect(await count('filter[status]=pending,completed')).toBe(2);
  expect(await count('filter[external_reference_id]=a')).toBe(1);
  expect(await count('filter[external_reference_id]=')).toBe(1);
  expect(await count(`filter[created_at_lteq]=${day}`)).toBe(1);
  expect(await count(`filter[created_at_gteq]=${day}`)).toBe(2);
  expect((await client.get('/orders?filter[status]=Pending')).errors[0]?.code).toBe('107');
  expect((await client.get('/orders?sort=-created_at')).resources[1]?.id).toBe(one.id);
  expect(accountId).not.toBe(shop.accountId);
});

test('null is refused for a way to choose a number and for back orders; cycles of null renew for ever', async () => {
  await shop.stock('london', 1);
  const ordered = async (members: object, attributes: object = {}) =>
    (await shop.postOrder([didItem({ sku_id: shop.skus.london, ...members })], attributes)).errors.map(
      ({ status, source }) => [status, source?.pointer],
    );
  const item = '/data/attributes/items/0';
  expect(await ordered({ qty: null, available_did_id: null, did_reservation_id: null, nanpa_prefix_id: null })).toEqual(
    [
      ['422', `${item}/qty`],
      ['422', `${item}/available_did_id`],
      ['422', `${item}/did_reservation_id`],
      ['422', `${item}/nanpa_prefix_id`],
    ],
  );
  expect(await ordered({}, { allow_back_ordering: null })).toEqual([['422', '/data/attributes/allow_back_ordering']]);
  expect(await ordered({ billing_cycles_count: null }, { callback_url: null })).toEqual([]);
});
