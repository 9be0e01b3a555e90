/**
 * A record that a parallel request deletes: changes of it and links to it are refused as they would be a moment later.
 */
import { beforeAll, expect, test } from 'vitest';
import { whileLocked } from '../../../../test/support/lock.ts';
import { document, link, makeAddress, makeIdentity } from '../../../../test/support/paperwork.ts';
import { patchDid, postOutboundTrunk, postReservation, postSharedGroup } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';

const shop = useOpened(() => openShop({ account: { balance: '10000' } }));

let did = '';
let made = 0;

beforeAll(async () => {
  did = (await shop.buyDids('london'))[0] ?? '';
  await shop.postCapacityOrder(20);
});

const sip = { type: 'sip_configurations', attributes: { host: 'sip.example.net', codec_ids: [9] } };

/** How to make a record of each type that can be deleted, and a change of it. */
const types: Readonly<Record<string, { make: () => Promise<{ id: string }>; change?: object }>> = {
  voice_in_trunks: {
    make: async () =>
      (
        await shop.client.post(
          '/voice_in_trunks',
          document('voice_in_trunks', { name: `${++made}`, configuration: sip }),
        )
      ).resource,
    change: { description: 'changed' },
  },
  voice_in_trunk_groups: {
    make: async () =>
      (await shop.client.post('/voice_in_trunk_groups', document('voice_in_trunk_groups', { name: `${++made}` })))
        .resource,
    change: { capacity_limit: 3 },
  },
  voice_out_trunks: {
    make: async () => (await postOutboundTrunk(shop.client, { name: `${++made}` })).resource,
    change: { status: 'blocked' },
  },
  shared_capacity_groups: {
    make: async () =>
      (await postSharedGroup(shop.client, shop.poolId, { name: `${++made}`, shared_channels_count: 1 })).resource,
    change: { metered_channels_count: 2 },
  },
  identities: {
    make: async () => ({ id: await makeIdentity(shop.client) }),
    change: { description: 'changed' },
  },
  addresses: {
    make: async () => ({ id: await makeAddress(shop.client, await makeIdentity(shop.client)) }),
    change: { description: 'changed' },
  },
  did_reservations: {
    make: async () => {
      await shop.stock('london', 1);
      return (await postReservation(shop.client, await shop.availableDid('london'))).resource;
    },
  },
};

test.each(Object.entries(types))(
  '%s: a change beside the deletion is 404, and a second deletion gives no false reason',
  async (type, { make, change }) => {
    const { id } = await make();
    const remove = () => shop.client.delete(`/${type}/${id}`);
    const update = () => shop.client.patch(`/${type}/${id}`, { data: { type, id, attributes: change } });
    const requests = change ? [remove, remove, update] : [remove, remove];
    const responses = await whileLocked(shop.env.pool, type, id, requests);
    const [first, second, changed] = responses.map(({ status }) => status);
    expect([first, changed]).toEqual([204, change ? 404 : undefined]);
    // Both found the record when they came, and both find it gone.
    expect([204, 404]).toContain(second);
  },
);

test.each([
  ['voice_in_trunks', 'voice_in_trunk'],
  ['voice_in_trunk_groups', 'voice_in_trunk_group'],
  ['shared_capacity_groups', 'shared_capacity_group'],
])('a number that is pointed at one of %s while it is deleted is refused', async (type, name) => {
  const { id } = (await types[type]?.make()) ?? { id: '' };
  const point = () => patchDid(shop.client, did, {}, { [name]: { data: link(type, id) } });
  const [deleted, refused] = await whileLocked(shop.env.pool, type, id, [
    () => shop.client.delete(`/${type}/${id}`),
    point,
  ]);
  expect([deleted?.status, refused?.status, refused?.errors[0]?.title]).toEqual([204, 422, 'is invalid']);
});

test('a trunk that joins a group while it is deleted is refused', async () => {
  const group = (await types.voice_in_trunk_groups?.make()) ?? { id: '' };
  const trunk = (await types.voice_in_trunks?.make()) ?? { id: '' };
  const join = () =>
    shop.client.patch(`/voice_in_trunks/${trunk.id}`, {
      data: {
        type: 'voice_in_trunks',
        id: trunk.id,
        relationships: { voice_in_trunk_group: { data: link('voice_in_trunk_groups', group.id) } },
      },
    });
  const remove = () => shop.client.delete(`/voice_in_trunk_groups/${group.id}`);
  const responses = await whileLocked(shop.env.pool, 'voice_in_trunk_groups', group.id, [remove, join]);
  expect(responses.map(({ status }) => status)).toEqual([204, 422]);
  expect(responses[1]?.errors).toMatchObject([{ detail: 'voice_in_trunk_group - is invalid' }]);
});
