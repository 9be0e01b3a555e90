/** Orders that are refused, and that nothing has changed then. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { capacityItem, didItem, postOrder } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';

const shop = useOpened(() => openShop());

describe('refused', () => {
  const unknown = randomUUID();
  test.each([
    ['an unknown offer', [didItem({ sku_id: unknown })], 422, '/data/attributes/items/0/sku_id'],
    ['a thousand and one', [didItem({ sku_id: unknown, qty: 1001 })], 422, '/data/attributes/items/0/qty'],
    [
      'a hundred and one items',
      Array.from({ length: 101 }, () => didItem({ sku_id: unknown })),
      422,
      '/data/attributes/items',
    ],
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
    ['no offer', [didItem({ qty: 1 })], 400, undefined],
    ['no offer in the second item', [didItem({ sku_id: unknown }), didItem({})], 400, undefined],
    ['an offer of null', [didItem({ sku_id: null })], 422, '/data/attributes/items/0/sku_id'],
    ['no pool', [capacityItem({ qty: 1 })], 400, undefined],
    ['a member of the other kind', [capacityItem({ capacity_pool_id: unknown, sku_id: unknown })], 400, undefined],
    ['an item without its data', [{ type: 'did_order_items' }], 400, undefined],
    ['an item without a type', [{ attributes: { sku_id: unknown } }], 400, undefined],
    ['a member beside the data', [{ ...didItem({ sku_id: unknown }), id: unknown }], 400, undefined],
  ])('%s', async (_what, items, status, pointer) => {
    const response = await shop.postOrder(items);
    expect(response.status).toBe(status);
    expect(response.errors[0]?.source?.pointer).toBe(pointer);
    if (status === 400) expect(['105', '106']).toContain(response.errors[0]?.code);
  });

  test('an offer of another group than the number, and a particular number while selection is off', async () => {
    await shop.stock('london', 1);
    const available_did_id = await shop.availableDid('london');
    const other = await shop.postOrder([didItem({ sku_id: shop.skus.fixed, available_did_id })]);
    expect(other.errors[0]?.source?.pointer).toBe('/data/attributes/items/0/sku_id');
    const off = await shop.addAccount({ balance: '10', features: { number_selection: false } });
    const items = [didItem({ sku_id: shop.skus.london, available_did_id })];
    expect((await postOrder(off.client, items)).status).toBe(403);
  });

  test('a read-only account may look but not order', async () => {
    const { client } = await shop.addAccount({ balance: '10', readOnly: true });
    expect((await postOrder(client, [didItem({ sku_id: shop.skus.london })])).status).toBe(403);
    expect((await client.get('/orders')).status).toBe(200);
  });

  test('no items at all, or a change of anything but the reference', async () => {
    const none = await shop.client.post('/orders', { data: { type: 'orders', attributes: {} } });
    expect([none.status, none.errors[0]?.code]).toEqual([400, '106']);
    await shop.stock('london', 1);
    const { id } = (await shop.postOrder([didItem({ sku_id: shop.skus.london })])).resource;
    const patch = (attributes: object) =>
      shop.client.patch(`/orders/${id}`, { data: { id, type: 'orders', attributes } });
    expect((await patch({ external_reference_id: 'po-18' })).resource.attributes.external_reference_id).toBe('po-18');
    const long = await patch({ external_reference_id: 'x'.repeat(101) });
    expect(long.errors[0]?.detail).toBe('external_reference_id - is too long (maximum is 100 characters)');
    expect((await patch({ status: 'completed' })).errors[0]?.code).toBe('105');
  });
});

test('who cannot pay gets the two amounts and nothing else happens', async () => {
  await shop.stock('london', 2);
  const poor = await shop.addAccount({ balance: '1.4', credit: '0.5' });
  const response = await postOrder(poor.client, [didItem({ sku_id: shop.skus.london })]);
  expect(response.status).toBe(400);
  expect(response.errors).toEqual([
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

test('somebody who cannot pay gets that response while all stock is locked: it is not even looked at', async () => {
  await shop.stock('london', 2);
  const poor = await shop.addAccount({ balance: '2.49' });
  const items = Array.from({ length: 100 }, () => didItem({ sku_id: shop.skus.london, qty: 1000 }));
  const lock = await shop.env.pool.connect();
  try {
    await lock.query('begin');
    await lock.query('select from stock_blocks for update');
    await lock.query('select from available_dids for update');
    const refused = await postOrder(poor.client, items);
    expect([refused.status, refused.errors[0]?.meta]).toEqual([
      400,
      { available_balance: '2.49', total_cost: '250000.0' },
    ]);
  } finally {
    await lock.query('rollback');
    lock.release();
  }
});
