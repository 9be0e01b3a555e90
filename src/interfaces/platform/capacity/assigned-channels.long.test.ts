/** Dedicated and shared channels, and how many are assigned. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { patchDid, postSharedGroup } from '../../../../test/support/requests.ts';
import { type GroupName, openShopWithinAMonth, type Shop } from '../../../../test/support/shop.ts';

let shop: Shop;
beforeEach(async () => {
  await shop?.close();
  shop = await openShopWithinAMonth();
});
afterAll(() => shop.close());

const link = (type: string, id: string) => ({ data: { type, id } });

const buyDid = async (group: GroupName = 'london'): Promise<string> => (await shop.buyDids(group))[0] ?? '';

const postGroup = (attributes: object, dids?: string[], poolId = shop.poolId) =>
  postSharedGroup(shop.client, poolId, attributes, dids);
const patchChannels = (id: string, count: number, poolId: string | null = shop.poolId) =>
  patchDid(
    shop.client,
    id,
    { dedicated_channels_count: count },
    { capacity_pool: poolId === null ? { data: null } : link('capacity_pools', poolId) },
  );

describe('dedicated channels', () => {
  test('come out of the pool and go back to it', async () => {
    await shop.postCapacityOrder(4);
    const did = await buyDid();
    expect((await patchChannels(did, 3)).resource.attributes.dedicated_channels_count).toBe(3);
    expect((await shop.getPool()).assigned_channels_count).toBe(3);
    const more = await patchChannels(did, 5);
    expect(more.errors[0]).toMatchObject({
      title: 'exceeds available channels count',
      source: { pointer: '/data/attributes/dedicated_channels_count' },
    });
    expect((await patchChannels(did, 4)).status).toBe(200);
    const left = await patchDid(shop.client, did, {}, { capacity_pool: { data: null } });
    expect(left.resource.attributes.dedicated_channels_count).toBe(0);
    expect((await shop.getPool()).assigned_channels_count).toBe(0);
    expect((await patchChannels(did, 1, null)).status).toBe(422);
  });

  test('only where the pool covers the country and the group allows channels', async () => {
    await shop.postCapacityOrder(4);
    expect((await patchChannels(await buyDid('fixed'), 1)).errors).toEqual([
      {
        title: 'is not allowed for DID country',
        detail: 'capacity_pool_id - is not allowed for DID country',
        code: '100',
        source: { pointer: '/data/attributes/capacity_pool_id' },
        status: '422',
      },
    ]);
    const did = await buyDid('newyork');
    const { resource } = await postGroup({ name: 'Office', shared_channels_count: 1 });
    const to = { shared_capacity_group: link('shared_capacity_groups', resource.id) };
    const join = await patchDid(shop.client, did, {}, to);
    expect(join.errors[0]).toMatchObject({
      detail: 'shared_capacity_group_id - is not allowed for DID country',
      source: { pointer: '/data/attributes/shared_capacity_group_id' },
    });
  });

  test('twenty numbers at once never get more than there are', async () => {
    const dids = await shop.buyDids('london', 20);
    await shop.postCapacityOrder(12);
    const responses = await Promise.all([
      ...dids.map((id) => patchChannels(id, 1)),
      ...Array.from({ length: 5 }, (_, n) => postGroup({ name: `Group ${n}`, shared_channels_count: 3 })),
    ]);
    const { assigned_channels_count: assigned } = await shop.getPool();
    const given = responses.reduce((sum, { status }) => sum + (status === 200 ? 1 : status === 201 ? 3 : 0), 0);
    expect(assigned).toBe(given);
    expect(assigned).toBeGreaterThanOrEqual(10);
    expect(assigned).toBeLessThanOrEqual(12);
  });
});

describe('shared groups', () => {
  test('hold channels and numbers, change, and give all back', async () => {
    await shop.postCapacityOrder(6);
    const [one, two] = [await buyDid(), await buyDid()];
    const made = await postGroup({ name: 'London office', shared_channels_count: 3, metered_channels_count: 5 }, [one]);
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
    expect((await shop.getPool()).assigned_channels_count).toBe(3);
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
    expect((await shop.getPool()).assigned_channels_count).toBe(0);
  });

  test('refused: a taken name, no pool, a foreign one, no channels, a number that may not', async () => {
    await shop.postCapacityOrder(6);
    await postGroup({ name: 'Office', shared_channels_count: 1 });
    const taken = await postGroup({ name: 'Office', shared_channels_count: 1 });
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
    const foreign = await postGroup({ name: 'X', shared_channels_count: 1 }, undefined, randomUUID());
    expect(foreign.errors[0]).toMatchObject({ title: 'is invalid', detail: 'capacity_pool - is invalid' });
    expect((await postGroup({ name: 'X' })).status).toBe(422);
    expect((await postGroup({ name: 'X', shared_channels_count: 7 })).status).toBe(422);
    expect((await postGroup({ name: 'X', metered_channels_count: 1001 })).status).toBe(422);
    const wrong = await postGroup({ name: 'X', shared_channels_count: 1 }, [await buyDid(), await buyDid('fixed')]);
    expect(wrong.errors).toEqual([
      {
        title: 'cannot be applied to shared capacity group',
        detail: 'dids/1 - cannot be applied to shared capacity group',
        code: '100',
        source: { pointer: '/data/relationships/dids/1' },
        status: '422',
      },
    ]);
    expect((await shop.getPool()).assigned_channels_count).toBe(1);
  });
});
