/** Changing a number: description and limits, routes, and what can only be detached. */

import { describe, expect, test } from 'vitest';
import type { ApiClient } from '../../../../test/support/client.ts';
import { getDid, patchDid } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';

const shop = useOpened(() => openShop());

describe('a change of a number', () => {
  test('words and limits', async () => {
    const me = await shop.addOwner('10');
    const changed = await patchDid(me.client, me.id, { description: 'front desk', capacity_limit: 2 });
    expect(changed.resource.attributes).toMatchObject({ description: 'front desk', capacity_limit: 2 });
    const cleared = await patchDid(me.client, me.id, { description: null, capacity_limit: null });
    expect(cleared.resource.attributes).toMatchObject({ description: null, capacity_limit: null });
    const high = await patchDid(me.client, me.id, { capacity_limit: 32_768 });
    expect(high.errors).toEqual([
      {
        title: 'must be less than or equal to 32767',
        detail: 'capacity_limit - must be less than or equal to 32767',
        code: '100',
        source: { pointer: '/data/attributes/capacity_limit' },
        status: '422',
      },
    ]);
    for (const attributes of [{ blocked: true }, { number: '1' }, { expires_at: null }, { capacity_pools_id: '1' }]) {
      expect((await patchDid(me.client, me.id, attributes)).errors[0]?.code).toBe('105');
    }
    const stranger = await shop.addAccount();
    expect((await patchDid(stranger.client, me.id, { description: 'x' })).status).toBe(404);
  });

  test("routes: trunk or group, each clears the other, never both, never a stranger's", async () => {
    const me = await shop.addOwner('10');
    const trunk = await postTrunk(me.client, 'Main');
    const group = await postTrunkGroup(me.client, 'Both');
    const link = (relationships: object) =>
      me.client.patch(`/dids/${me.id}?include=voice_in_trunk,voice_in_trunk_group`, {
        data: { id: me.id, type: 'dids', attributes: {}, relationships },
      });
    const toTrunk = { data: { type: 'voice_in_trunks', id: trunk } };
    const toGroup = { data: { type: 'voice_in_trunk_groups', id: group } };
    const links = (answer: Awaited<ReturnType<typeof link>>) => [
      answer.resource.relationships.voice_in_trunk?.data,
      answer.resource.relationships.voice_in_trunk_group?.data,
    ];
    expect(links(await link({ voice_in_trunk: toTrunk }))).toEqual([toTrunk.data, null]);
    expect(links(await link({ voice_in_trunk_group: toGroup }))).toEqual([null, toGroup.data]);
    expect(links(await link({ voice_in_trunk: toTrunk, voice_in_trunk_group: { data: null } }))).toEqual([
      toTrunk.data,
      null,
    ]);
    expect((await me.client.get(`/dids?filter[trunk.id]=${trunk}`)).meta.total_records).toBe(1);
    const both = await link({ voice_in_trunk: toTrunk, voice_in_trunk_group: toGroup });
    expect([both.status, both.errors[0]?.source?.pointer]).toEqual([422, '/data/attributes/voice_in_trunk_group_id']);
    const foreign = { data: { type: 'voice_in_trunk_groups', id: await postTrunkGroup(shop.client, 'Theirs') } };
    expect((await link({ voice_in_trunk_group: foreign })).errors).toEqual([
      {
        title: 'is invalid',
        detail: 'voice_in_trunk_group - is invalid',
        code: '100',
        source: { pointer: '/data/attributes/voice_in_trunk_group_id' },
        status: '422',
      },
    ]);
    expect(links(await link({ voice_in_trunk: { data: null } }))).toEqual([null, null]);
  });

  test('an address verification and an emergency service can only be let go of', async () => {
    const me = await shop.addOwner('10');
    const link = (name: string, data: object | null) => patchDid(me.client, me.id, {}, { [name]: { data } });
    for (const name of ['address_verification', 'emergency_calling_service']) {
      expect((await link(name, null)).status).toBe(200);
      expect((await link(name, { type: `${name}s`, id: me.id })).status).toBe(422);
    }
    expect((await getDid(me.client, me.id)).emergency_enabled).toBe(false);
    expect((await link('identity', null)).errors[0]?.code).toBe('105');
  });
});

async function postTrunk(client: ApiClient, name: string): Promise<string> {
  const configuration = {
    type: 'sip_configurations',
    attributes: { username: '{DID}', host: 'sip.example.test', codec_ids: [9] },
  };
  const data = { type: 'voice_in_trunks', attributes: { name, configuration } };
  return (await client.post('/voice_in_trunks', { data })).resource.id;
}

async function postTrunkGroup(client: ApiClient, name: string): Promise<string> {
  const data = { type: 'voice_in_trunk_groups', attributes: { name } };
  return (await client.post('/voice_in_trunk_groups', { data })).resource.id;
}
