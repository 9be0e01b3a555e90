import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runDueJobs } from '../../../test/support/environment.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import { capacityItem, didItem, openShop, type Shop } from '../../../test/support/shop.ts';
import { signCallback } from '../../deliveries/signature.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.close());

const numbersOf = async (orderId: string) => {
  const { resources } = await shop.client.get(`/dids?filter[order.id]=${orderId}`);
  return resources.map(({ attributes }) => attributes.number);
};
const statusOf = async (orderId: string) => (await shop.client.get(`/orders/${orderId}`)).resource.attributes.status;

test('an order is charged at once, pending first, and completed by a job that brings the numbers', async () => {
  const stocked = await shop.stock('london', 3);
  const before = await shop.balance();
  const answer = await shop.order([didItem({ sku_id: shop.skus.london, qty: 2 })], { external_reference_id: 'po-17' });
  expect(answer.status).toBe(201);
  const { id, attributes } = answer.resource;
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
  expect(Object.keys(answer.resource)).toEqual(['id', 'type', 'attributes']);
  expect(Number(before) - Number(await shop.balance())).toBe(5);
  expect(await numbersOf(id)).toEqual([]);

  await runDueJobs(shop.env);
  const { resource } = await shop.client.get(`/orders/${id}`);
  expect(resource.attributes).toMatchObject({ status: 'completed' });
  expect(resource.attributes.items).toMatchObject([
    { attributes: { billed_from: '2026-06-15', billed_to: '2026-07-15' } },
  ]);
  expect(await numbersOf(id)).toEqual(stocked.slice(0, 2));
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

test('the answer is pending, however soon another process completes the order', async () => {
  await shop.stock('london', 1);
  // Sooner than any job: at the commit itself.
  await shop.env.pool.query(`
    create function done() returns trigger language plpgsql as $$
      begin update orders set status = 'completed', finished_at = created_at where id = new.id; return null; end $$;
    create constraint trigger done after insert on orders deferrable initially deferred
      for each row execute function done()`);
  const { resource } = await shop.order([didItem({ sku_id: shop.skus.london })]);
  await shop.env.pool.query('drop function done cascade');
  expect(resource.attributes).toMatchObject({ status: 'pending', items: [{ attributes: { billed_from: null } }] });
  expect(await statusOf(resource.id)).toBe('completed');
});

describe('ways of ordering', () => {
  test('one particular number', async () => {
    const [, wanted] = await shop.stock('london', 3);
    const { rows } = await shop.env.pool.query('select id from available_dids where number = $1', [wanted]);
    const ordered = await shop.order([didItem({ sku_id: shop.skus.london, available_did_id: rows[0].id })]);
    expect(ordered.resource.attributes.items).toMatchObject([{ attributes: { qty: 1 } }]);
    await runDueJobs(shop.env);
    expect(await numbersOf(ordered.resource.id)).toEqual([wanted]);
    const again = await shop.order([didItem({ sku_id: shop.skus.london, available_did_id: rows[0].id })]);
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
    const reserve = async (client = shop.client) => {
      const link = { data: { type: 'available_dids', id: await shop.availableDid('london') } };
      const data = { type: 'did_reservations', relationships: { available_did: link } };
      return (await client.post('/did_reservations', { data })).resource.id;
    };
    const item = (id: string) => [didItem({ sku_id: shop.skus.london, did_reservation_id: id })];
    const mine = await reserve();
    expect((await shop.order(item(mine))).status).toBe(201);
    expect((await shop.client.get(`/did_reservations/${mine}`)).status).toBe(404);
    const foreign = await reserve((await shop.addAccount()).client);
    expect((await shop.order(item(foreign))).errors[0]?.source?.pointer).toBe(
      '/data/attributes/items/0/did_reservation_id',
    );
    const lapsed = await reserve();
    shop.clock.advance(600);
    expect((await shop.order(item(lapsed))).status).toBe(422);
    await runDueJobs(shop.env);
  });

  test('a number that somebody else holds is skipped, until the hold lapses', async () => {
    await shop.env.pool.query('delete from available_dids');
    const [number] = await shop.stock('london', 1);
    const other = await shop.addAccount();
    const link = { data: { type: 'available_dids', id: await shop.availableDid('london') } };
    const data = { type: 'did_reservations', relationships: { available_did: link } };
    await other.client.post('/did_reservations', { data });
    const items = [didItem({ sku_id: shop.skus.london })];
    const none = await shop.order(items, { allow_back_ordering: false });
    expect(none.errors[0]).toMatchObject({
      title: 'exceeds available DIDs count',
      detail: 'items/0/qty - exceeds available DIDs count',
    });
    shop.clock.advance(600);
    const bought = await shop.order(items, { allow_back_ordering: false });
    await runDueJobs(shop.env);
    expect(await numbersOf(bought.resource.id)).toEqual([number]);
  });

  test('by NANPA prefix', async () => {
    const [number] = await shop.stock('newyork', 2);
    const item = { sku_id: shop.skus.newyork, nanpa_prefix_id: shop.nanpaPrefixId };
    const ordered = await shop.order([didItem(item)]);
    await runDueJobs(shop.env);
    expect(await numbersOf(ordered.resource.id)).toEqual([number]);
    const wrong = await shop.order([didItem({ ...item, sku_id: shop.skus.london })]);
    expect(wrong.errors[0]?.source?.pointer).toBe('/data/attributes/items/0/nanpa_prefix_id');
    expect((await shop.order([didItem({ ...item, nanpa_prefix_id: randomUUID() })])).status).toBe(422);
  });

  test('several items, a limited term, and nothing to pay', async () => {
    await shop.stock('london', 3);
    await shop.stock('newyork', 1);
    const before = await shop.balance();
    const ordered = await shop.order([
      didItem({ sku_id: shop.skus.free, qty: 2, billing_cycles_count: 5 }),
      didItem({ sku_id: shop.skus.newyork }),
    ]);
    expect(ordered.resource.attributes).toMatchObject({ amount: '2.5' });
    await runDueJobs(shop.env);
    expect(await numbersOf(ordered.resource.id)).toHaveLength(3);
    expect(Number(before) - Number(await shop.balance())).toBe(2.5);
    const limited = await shop.client.get(
      `/dids?filter[order.id]=${ordered.resource.id}&filter[billing_cycles_count]=5`,
    );
    expect(limited.meta.total_records).toBe(2);
    expect(limited.resources[0]?.attributes.channels_included_count).toBe(0);
  });
});

test('twelve thousand numbers in one order', { timeout: 60_000 }, async () => {
  const { client } = await shop.addAccount({ balance: '30000' });
  await shop.stock('london', 12_000);
  const items = Array.from({ length: 12 }, () => didItem({ sku_id: shop.skus.london, qty: 1000 }));
  const made = await client.post('/orders', {
    data: { type: 'orders', attributes: { items, allow_back_ordering: false } },
  });
  expect([made.status, made.resource.attributes.amount]).toEqual([201, '30000.0']);
  await runDueJobs(shop.env);
  expect((await client.get('/dids?page[size]=1')).meta.total_records).toBe(12_000);
  expect((await client.get('/did_history?page[size]=1')).meta.total_records).toBe(12_000);
  expect((await client.get(`/orders/${made.resource.id}`)).resource.attributes.status).toBe('completed');
});

describe('back ordering', () => {
  test('what is there comes now, the rest when stock arrives, oldest order first', async () => {
    await shop.env.pool.query('delete from available_dids');
    const [first] = await shop.stock('london', 1);
    const item = (qty: number) => [didItem({ sku_id: shop.skus.london, qty })];
    const older = (await shop.order(item(3))).resource.id;
    const newer = (await shop.order(item(1))).resource.id;
    await runDueJobs(shop.env);
    expect(await numbersOf(older)).toEqual([first]);
    expect(await statusOf(older)).toBe('pending');
    const [second, third] = await shop.stock('london', 2);
    await runDueJobs(shop.env);
    expect(await numbersOf(older)).toEqual([first, second, third]);
    expect([await statusOf(older), await statusOf(newer)]).toEqual(['completed', 'pending']);
    const [fourth] = await shop.stock('london', 1);
    await runDueJobs(shop.env);
    expect(await numbersOf(newer)).toEqual([fourth]);
    expect(await statusOf(newer)).toBe('completed');
  });

  test('switched off, or in a group that has none: refused, and nothing is kept', async () => {
    await shop.env.pool.query('delete from available_dids');
    await shop.stock('london', 1);
    await shop.stock('fixed', 1);
    const before = await shop.balance();
    const refused = await shop.order([didItem({ sku_id: shop.skus.london, qty: 2 })], { allow_back_ordering: false });
    expect(refused.errors).toEqual([
      {
        title: 'exceeds available DIDs count',
        detail: 'items/0/qty - exceeds available DIDs count',
        code: '100',
        source: { pointer: '/data/attributes/items/0/qty' },
        status: '422',
      },
    ]);
    expect((await shop.order([didItem({ sku_id: shop.skus.fixed, qty: 2 })])).status).toBe(422);
    expect(await shop.balance()).toBe(before);
    expect((await shop.client.get('/available_dids')).meta.total_records).toBe(2);
  });
});

describe('money', () => {
  test('who cannot pay gets the two amounts and nothing else happens', async () => {
    await shop.stock('london', 2);
    const poor = await shop.addAccount({ balance: '1.4', credit: '0.5' });
    const data = { type: 'orders', attributes: { items: [didItem({ sku_id: shop.skus.london })] } };
    const answer = await poor.client.post('/orders', { data });
    expect(answer.status).toBe(400);
    expect(answer.errors).toEqual([
      {
        title: 'Insufficient balance',
        detail: 'Insufficient balance',
        code: '400',
        status: '400',
        meta: { available_balance: '1.9', total_cost: '2.5' },
      },
    ]);
    expect((await poor.client.get('/orders')).meta.total_records).toBe(0);
    expect((await poor.client.get('/balance')).resource.attributes).toEqual({
      balance: '1.40',
      credit: '0.50',
      total_balance: '1.90',
    });
  });

  test('prices in orders include VAT, prices of offers do not', async () => {
    await shop.stock('london', 1);
    const taxed = await shop.addAccount({ balance: '10', vatRate: '21' });
    const data = { type: 'orders', attributes: { items: [didItem({ sku_id: shop.skus.london })] } };
    const { resource } = await taxed.client.post('/orders', { data });
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
});

describe('cancelling', () => {
  test('a pending order gives money and numbers back, the handed over ones too', async () => {
    await shop.env.pool.query('delete from available_dids');
    const stocked = await shop.stock('london', 2);
    const before = await shop.balance();
    const { id } = (await shop.order([didItem({ sku_id: shop.skus.london, qty: 3 })])).resource;
    await runDueJobs(shop.env);
    expect(await numbersOf(id)).toEqual(stocked);
    expect((await shop.client.delete(`/orders/${id}`)).status).toBe(204);
    expect(await statusOf(id)).toBe('canceled');
    expect(await numbersOf(id)).toEqual([]);
    expect(await shop.balance()).toBe(before);
    expect((await shop.client.get('/available_dids')).resources.map(({ attributes }) => attributes.number)).toEqual(
      stocked,
    );
    const history = (await shop.client.get(`/did_history?filter[did_number]=${stocked[0]}&sort=created_at`)).resources;
    expect(history.map(({ attributes: { action } }) => action).sort()).toEqual(['assigned', 'removed']);
    await runDueJobs(shop.env);
    expect(await statusOf(id)).toBe('canceled');
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

describe('refused', () => {
  const unknown = randomUUID();
  test.each([
    ['an unknown offer', [didItem({ sku_id: unknown })], 422, '/data/attributes/items/0/sku_id'],
    ['no offer', [didItem({ qty: 1 })], 422, '/data/attributes/items/0/sku_id'],
    ['a thousand and one', [didItem({ sku_id: unknown, qty: 1001 })], 422, '/data/attributes/items/0/qty'],
    ['none', [didItem({ sku_id: unknown, qty: 0 })], 422, '/data/attributes/items/0/qty'],
    [
      'two selectors',
      [didItem({ sku_id: unknown, qty: 1, available_did_id: unknown })],
      422,
      '/data/attributes/items/0/available_did_id',
    ],
    [
      'cycles out of range',
      [didItem({ sku_id: unknown, billing_cycles_count: 1000 })],
      422,
      '/data/attributes/items/0/billing_cycles_count',
    ],
    [
      'mixed kinds',
      [didItem({ sku_id: unknown }), capacityItem({ capacity_pool_id: unknown })],
      422,
      '/data/attributes/items/1/type',
    ],
    ['generic items', [{ type: 'generic_order_items', attributes: {} }], 422, '/data/attributes/items/0/type'],
    ['an empty list', [], 422, '/data/attributes/items'],
    ['an unknown member', [didItem({ sku_id: unknown, prorate_days_qty: 3 })], 400, undefined],
    ["an answer's member", [didItem({ sku_id: unknown, nrc: '0.0' })], 400, undefined],
  ])('%s', async (_what, items, status, pointer) => {
    const answer = await shop.order(items);
    expect(answer.status).toBe(status);
    expect(answer.errors[0]?.source?.pointer).toBe(pointer);
  });

  test('an offer of another group than the number, and a particular number while selection is off', async () => {
    await shop.stock('london', 1);
    const available_did_id = await shop.availableDid('london');
    const other = await shop.order([didItem({ sku_id: shop.skus.fixed, available_did_id })]);
    expect(other.errors[0]?.source?.pointer).toBe('/data/attributes/items/0/sku_id');
    const off = await shop.addAccount({ balance: '10', features: { number_selection: false } });
    const data = { type: 'orders', attributes: { items: [didItem({ sku_id: shop.skus.london, available_did_id })] } };
    expect((await off.client.post('/orders', { data })).status).toBe(403);
  });

  test('a read-only account may look but not order', async () => {
    const { client } = await shop.addAccount({ balance: '10', readOnly: true });
    const data = { type: 'orders', attributes: { items: [didItem({ sku_id: shop.skus.london })] } };
    expect((await client.post('/orders', { data })).status).toBe(403);
    expect((await client.get('/orders')).status).toBe(200);
  });

  test('no items at all, or a change of anything but the reference', async () => {
    const none = await shop.client.post('/orders', { data: { type: 'orders', attributes: {} } });
    expect([none.status, none.errors[0]?.code]).toEqual([400, '106']);
    await shop.stock('london', 1);
    const { id } = (await shop.order([didItem({ sku_id: shop.skus.london })])).resource;
    const patch = (attributes: object) =>
      shop.client.patch(`/orders/${id}`, { data: { id, type: 'orders', attributes } });
    expect((await patch({ external_reference_id: 'po-18' })).resource.attributes.external_reference_id).toBe('po-18');
    const long = await patch({ external_reference_id: 'x'.repeat(101) });
    expect(long.errors[0]?.detail).toBe('external_reference_id - is too long (maximum is 100 characters)');
    expect((await patch({ status: 'completed' })).errors[0]?.code).toBe('105');
  });
});

describe('an Idempotency-Key', () => {
  const key = () => ({ 'idempotency-key': randomUUID() });

  test('gives the same answer for the same body, whatever happened since, and charges once', async () => {
    await shop.stock('london', 4);
    const before = await shop.balance();
    const headers = key();
    const items = [didItem({ sku_id: shop.skus.london })];
    const first = await shop.order(items, {}, headers);
    await runDueJobs(shop.env);
    const second = await shop.order(items, {}, headers);
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(Number(before) - Number(await shop.balance())).toBe(2.5);
    const other = await shop.order([didItem({ sku_id: shop.skus.london, qty: 2 })], {}, headers);
    expect([other.status, other.errors[0]?.code]).toEqual([422, '100']);
    shop.clock.advance(24 * 3600);
    expect((await shop.order(items, {}, headers)).resource.id).not.toBe(first.resource.id);
  });

  test('ten at once make one order', async () => {
    await shop.stock('london', 10);
    const headers = key();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => shop.order([didItem({ sku_id: shop.skus.london })], {}, headers)),
    );
    expect(new Set(answers.map(({ resource }) => resource.id)).size).toBe(1);
  });

  test('belongs to its account', async () => {
    await shop.stock('london', 2);
    const headers = key();
    const mine = await shop.order([didItem({ sku_id: shop.skus.london })], {}, headers);
    const other = await shop.addAccount({ balance: '10' });
    const data = { type: 'orders', attributes: { items: [didItem({ sku_id: shop.skus.london })] } };
    const theirs = await other.client.post('/orders', { data }, { headers });
    expect(theirs.resource.id).not.toBe(mine.resource.id);
  });
});

test('orders are found by reference, status, own reference and time', async () => {
  const { client, accountId } = await shop.addAccount({ balance: '100' });
  await shop.stock('london', 3);
  const data = (external_reference_id: string | null) => ({
    data: { type: 'orders', attributes: { items: [didItem({ sku_id: shop.skus.london })], external_reference_id } },
  });
  const one = (await client.post('/orders', data('a'))).resource;
  shop.clock.advance(86_400);
  await client.post('/orders', data(null));
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
