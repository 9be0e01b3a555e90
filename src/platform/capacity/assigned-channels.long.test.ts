import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { runDueJobs } from '../../../test/support/environment.ts';
import { didItem, type GroupName, openShopWithinAMonth, type Shop } from '../../../test/support/shop.ts';

let shop: Shop;
beforeEach(async () => {
  await shop?.close();
  shop = await openShopWithinAMonth();
});
afterAll(() => shop.close());

const link = (type: string, id: string) => ({ data: { type, id } });

async function number(group: GroupName = 'london'): Promise<string> {
  await shop.stock(group, 1);
  const order = await shop.order([didItem({ sku_id: shop.skus[group] })]);
  await runDueJobs(shop.env);
  return (await shop.client.get(`/dids?filter[order.id]=${order.resource.id}`)).resources[0]?.id ?? '';
}

const group = (attributes: object, dids?: string[], poolId = shop.poolId) =>
  shop.client.post('/shared_capacity_groups?include=dids', {
    data: {
      type: 'shared_capacity_groups',
      attributes,
      relationships: {
        capacity_pool: link('capacity_pools', poolId),
        ...(dids ? { dids: { data: dids.map((id) => ({ type: 'dids', id })) } } : {}),
      },
    },
  });
const dedicate = (id: string, count: number, poolId: string | null = shop.poolId) =>
  shop.client.patch(`/dids/${id}`, {
    data: {
      id,
      type: 'dids',
      attributes: { dedicated_channels_count: count },
      relationships: { capacity_pool: poolId === null ? { data: null } : link('capacity_pools', poolId) },
    },
  });

describe('dedicated channels', () => {
  test('come out of the pool and go back to it', async () => {
    await shop.orderChannels(4);
    const did = await number();
    expect((await dedicate(did, 3)).resource.attributes.dedicated_channels_count).toBe(3);
    expect((await shop.pool()).assigned_channels_count).toBe(3);
    const more = await dedicate(did, 5);
    expect(more.errors[0]).toMatchObject({
      title: 'exceeds available channels count',
      source: { pointer: '/data/attributes/dedicated_channels_count' },
    });
    expect((await dedicate(did, 4)).status).toBe(200);
    const left = await shop.client.patch(`/dids/${did}`, {
      data: { id: did, type: 'dids', relationships: { capacity_pool: { data: null } } },
    });
    expect(left.resource.attributes.dedicated_channels_count).toBe(0);
    expect((await shop.pool()).assigned_channels_count).toBe(0);
    expect((await dedicate(did, 1, null)).status).toBe(422);
  });

  test('only where the pool covers the country and the group allows channels', async () => {
    await shop.orderChannels(4);
    expect((await dedicate(await number('fixed'), 1)).errors).toEqual([
      {
        title: 'is not allowed for DID country',
        detail: 'capacity_pool_id - is not allowed for DID country',
        code: '100',
        source: { pointer: '/data/attributes/capacity_pool_id' },
        status: '422',
      },
    ]);
    const did = await number('newyork');
    const { resource } = await group({ name: 'Office', shared_channels_count: 1 });
    const join = await shop.client.patch(`/dids/${did}`, {
      data: {
        id: did,
        type: 'dids',
        relationships: { shared_capacity_group: link('shared_capacity_groups', resource.id) },
      },
    });
    expect(join.errors[0]).toMatchObject({
      detail: 'shared_capacity_group_id - is not allowed for DID country',
      source: { pointer: '/data/attributes/shared_capacity_group_id' },
    });
  });

  test('twenty numbers at once never get more than there are', async () => {
    await shop.stock('london', 20);
    const { id } = (await shop.order([didItem({ sku_id: shop.skus.london, qty: 20 })])).resource;
    await runDueJobs(shop.env);
    await shop.orderChannels(12);
    const { resources } = await shop.client.get(`/dids?filter[order.id]=${id}`);
    const answers = await Promise.all([
      ...resources.map((did) => dedicate(did.id, 1)),
      ...Array.from({ length: 5 }, (_, n) => group({ name: `Group ${n}`, shared_channels_count: 3 })),
    ]);
    const { assigned_channels_count: assigned } = await shop.pool();
    const given = answers.reduce((sum, { status }) => sum + (status === 200 ? 1 : status === 201 ? 3 : 0), 0);
    expect(assigned).toBe(given);
    expect(assigned).toBeGreaterThanOrEqual(10);
    expect(assigned).toBeLessThanOrEqual(12);
  });
});

describe('shared groups', () => {
  test('hold channels and numbers, change, and give all back', async () => {
    await shop.orderChannels(6);
    const [one, two] = [await number(), await number()];
    const made = await group({ name: 'London office', shared_channels_count: 3, metered_channels_count: 5 }, [one]);
    expect(made.status).toBe(201);
    const { id } = made.resource;
    expect(made.resource.attributes).toEqual({
      name: 'London office',
      shared_channels_count: 3,
      metered_channels_count: 5,
      external_reference_id: null,
      created_at: '2018-12-28T08:00:00.000Z',
    });
    expect(made.resource.relationships.dids?.data).toEqual([{ type: 'dids', id: one }]);
    const patch = (data: object) =>
      shop.client.patch(`/shared_capacity_groups/${id}?include=dids`, {
        data: { id, type: 'shared_capacity_groups', ...data },
      });
    const replaced = await patch({ relationships: { dids: { data: [{ type: 'dids', id: two }] } } });
    expect(replaced.resource.relationships.dids?.data).toEqual([{ type: 'dids', id: two }]);
    expect((await shop.pool()).assigned_channels_count).toBe(3);
    expect((await patch({ attributes: { shared_channels_count: 7 } })).status).toBe(422);
    expect((await patch({ attributes: { shared_channels_count: 6 } })).status).toBe(200);
    expect((await shop.client.get('/capacity_pools?filter[has_unassigned_channels]=true')).meta.total_records).toBe(0);
    expect((await shop.client.delete(`/shared_capacity_groups/${id}`)).errors).toEqual([
      {
        title: 'The capacity group cannot be removed while active numbers are assigned to it',
        detail: 'The capacity group cannot be removed while active numbers are assigned to it',
        code: '100',
        source: { pointer: '/data' },
        status: '422',
      },
    ]);
    await patch({ relationships: { dids: { data: [] } } });
    expect((await shop.client.delete(`/shared_capacity_groups/${id}`)).status).toBe(204);
    expect((await shop.pool()).assigned_channels_count).toBe(0);
  });

  test('refused: a taken name, no pool, a foreign one, no channels, a number that may not', async () => {
    await shop.orderChannels(6);
    await group({ name: 'Office', shared_channels_count: 1 });
    const taken = await group({ name: 'Office', shared_channels_count: 1 });
    expect(taken.errors[0]).toMatchObject({
      title: 'has already been taken',
      source: { pointer: '/data/attributes/name' },
    });
    const none = await shop.client.post('/shared_capacity_groups', {
      data: { type: 'shared_capacity_groups', attributes: { name: 'X', shared_channels_count: 1 } },
    });
    expect(none.errors[0]).toMatchObject({
      title: "can't be blank",
      source: { pointer: '/data/relationships/capacity_pool' },
    });
    const foreign = await group({ name: 'X', shared_channels_count: 1 }, undefined, randomUUID());
    expect(foreign.errors[0]).toMatchObject({ title: 'is invalid', detail: 'capacity_pool - is invalid' });
    expect((await group({ name: 'X' })).status).toBe(422);
    expect((await group({ name: 'X', shared_channels_count: 7 })).status).toBe(422);
    expect((await group({ name: 'X', metered_channels_count: 1001 })).status).toBe(422);
    const wrong = await group({ name: 'X', shared_channels_count: 1 }, [await number(), await number('fixed')]);
    expect(wrong.errors).toEqual([
      {
        title: 'cannot be applied to shared capacity group',
        detail: 'dids/1 - cannot be applied to shared capacity group',
        code: '100',
        source: { pointer: '/data/relationships/dids/1' },
        status: '422',
      },
    ]);
    expect((await shop.pool()).assigned_channels_count).toBe(1);
  });
});
