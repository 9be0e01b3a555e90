/** Trunk groups and their members. */
import { describe, expect, test } from 'vitest';
import { configurationOf, useTrunks } from '../../../../test/support/use-trunks.ts';
import { sipConfiguration } from './sip-configuration.ts';

const { server, sip, trunk, patch, created } = useTrunks();

describe('groups', () => {
  const group = (attributes: object, trunks?: string[]) => ({
    data: {
      type: 'voice_in_trunk_groups',
      attributes,
      relationships: trunks ? { voice_in_trunks: { data: trunks.map((id) => ({ type: 'voice_in_trunks', id })) } } : {},
    },
  });

  test('share their names with trunks', async () => {
    await created({ name: 'shared name' });
    const response = await server.client.post('/voice_in_trunk_groups', group({ name: 'shared name' }));
    expect(response.errors).toMatchObject([
      { status: '422', detail: 'name - has already been taken', source: { pointer: '/data/attributes/name' } },
    ]);
    const other = await server.addAccount();
    expect((await other.client.post('/voice_in_trunk_groups', group({ name: 'shared name' }))).status).toBe(201);
    const { id } = await created({ name: 'freed' });
    await patch(id, { name: 'renamed' });
    expect((await server.client.post('/voice_in_trunk_groups', group({ name: 'freed' }))).status).toBe(201);
  });

  test('replace their whole membership; duplicates count once', async () => {
    const [a, b, c] = [await created(), await created(), await created()];
    const response = await server.client.post(
      '/voice_in_trunk_groups?include=voice_in_trunks',
      group({ name: 'g1' }, [a.id, b.id, a.id]),
    );
    expect(response.resource.meta).toEqual({ trunks_count: 2 });
    expect(response.included.map(({ id }) => id).sort()).toEqual([a.id, b.id].sort());
    const { id } = response.resource;
    const replaced = await server.client.patch(`/voice_in_trunk_groups/${id}`, {
      data: { id, ...group({}, [c.id]).data },
    });
    expect(replaced.resource.meta).toEqual({ trunks_count: 1 });
    const emptied = await server.client.patch(`/voice_in_trunk_groups/${id}`, { data: { id, ...group({}, []).data } });
    expect(emptied.resource.meta).toEqual({ trunks_count: 0 });
  });

  test('refuse members that are not there, in the words of the reference service', async () => {
    const { errors } = await server.client.post(
      '/voice_in_trunk_groups',
      group({ name: 'g2' }, ['00000000-0000-4000-8000-000000000000']),
    );
    expect(errors).toMatchObject([
      { title: 'are invalid', detail: 'trunk_ids - are invalid', source: { pointer: '/data/attributes/trunk_ids' } },
    ]);
    const others = await server.addAccount();
    const foreign = (await others.client.post('/voice_in_trunks', trunk())).resource;
    expect((await server.client.post('/voice_in_trunk_groups', group({ name: 'g3' }, [foreign.id]))).status).toBe(422);
  });

  test('take their trunks with them; a member cannot be deleted by itself', async () => {
    const a = await created();
    const { id } = (await server.client.post('/voice_in_trunk_groups', group({ name: 'g4' }, [a.id]))).resource;
    const refused = await server.client.delete(`/voice_in_trunks/${a.id}`);
    expect([refused.status, refused.errors[0]?.source?.pointer]).toEqual([422, '/data']);
    expect((await server.client.delete(`/voice_in_trunk_groups/${id}`)).status).toBe(204);
    expect((await server.client.get(`/voice_in_trunks/${a.id}`)).status).toBe(404);
  });
});

test('filters: name list, configuration type, external reference', async () => {
  const { client: mine } = await server.addAccount();
  for (const name of ['n1', 'n2', 'n3'])
    await mine.post('/voice_in_trunks', trunk({ name, external_reference_id: `ref ${name}` }));
  const names = async (query: string) =>
    (await mine.get(`/voice_in_trunks?${query}`)).resources.map(({ attributes }) => attributes.name);
  expect(await names('filter[name]=n1,n3&sort=-name')).toEqual(['n3', 'n1']);
  expect(await names('filter[configuration.type]=sip_configurations&sort=name')).toEqual(['n1', 'n2', 'n3']);
  expect(await names('filter[configuration.type]=iax2_configurations')).toEqual([]);
  expect(await names('filter[external_reference_id]=ref n2')).toEqual(['n2']);
});

test('null is refused where there must be a value, also for a member that need not be sent', async () => {
  const blank = async (attributes: object) => (await patch(id, attributes)).errors.map(({ detail }) => detail);
  const { id } = await created({ weight: 7 });
  expect(await blank({ priority: null, weight: null })).toEqual([
    "priority - can't be blank",
    "weight - can't be blank",
  ]);
  expect(await blank({ configuration: sip({ codec_ids: null, rtp_timeout: null, port: null }) })).toEqual([
    "codec_ids - can't be blank",
    "rtp_timeout - can't be blank",
  ]);
  expect((await patch(id, { description: 'x' })).resource.attributes).toMatchObject({ priority: 1, weight: 7 });
});

describe('a client of 2022-05-10', () => {
  const old = { headers: { 'x-service-api-version': '2022-05-10' } };
  const iax2 = {
    type: 'iax2_configurations',
    attributes: { dst: '{CALL_DID}', host: 'pbx.example.net', codec_ids: [9] },
  };
  const h323 = { ...iax2, type: 'h323_configurations' };
  const post = (configuration: object) => server.client.post('/voice_in_trunks', trunk({ configuration }), old);

  test('sees only the members that SIP configurations had', async () => {
    const { id } = await created();
    const shown = configurationOf((await server.client.get(`/voice_in_trunks/${id}`, old)).resource);
    expect(shown).toMatchObject({ host: 'sip.example.net', max_transfers: 0, media_encryption_mode: 'disabled' });
    expect(Object.keys(sipConfiguration).filter((name) => !(name in shown))).toEqual([
      ...['network_protocol_priority', 'use_did_in_ruri', 'enabled_sip_registration'],
      ...['incoming_auth_username', 'incoming_auth_password'],
      ...['diversion_relay_policy', 'diversion_inject_mode', 'cnam_lookup'],
    ]);
    expect((await post(sip({ cnam_lookup: true }))).errors).toMatchObject([{ detail: 'cnam_lookup is not allowed.' }]);
  });

  test('keeps IAX2 and H.323 trunks, which every version shows', async () => {
    const made = await post({ ...iax2, attributes: { ...iax2.attributes, auth_user: 'u', auth_password: 'p' } });
    expect([made.status, made.resource.attributes.configuration]).toEqual([
      201,
      {
        type: 'iax2_configurations',
        attributes: {
          ...{ dst: '{CALL_DID}', host: 'pbx.example.net', port: null, codec_ids: [9] },
          ...{ auth_enabled: true, auth_user: 'u', auth_password: 'p' },
        },
      },
    ]);
    const { id } = made.resource;
    const changed = await server.client.patch(
      `/voice_in_trunks/${id}`,
      {
        data: { id, type: 'voice_in_trunks', attributes: { configuration: { ...iax2, attributes: { port: 4569 } } } },
      },
      old,
    );
    expect(configurationOf(changed.resource)).toMatchObject({ port: 4569, auth_enabled: true });
    expect(configurationOf((await server.client.get(`/voice_in_trunks/${id}`)).resource)).toMatchObject({ port: 4569 });
    expect((await post(h323)).resource.attributes.configuration).toEqual({
      ...h323,
      attributes: { ...h323.attributes, port: null },
    });
    const found = await server.client.get('/voice_in_trunks?filter[configuration.type]=iax2_configurations', old);
    expect(found.resources.map((each) => each.id)).toEqual([id]);
  });

  test.each<[object, string]>([
    [{ ...iax2, attributes: { host: 'h', codec_ids: [9] } }, "dst - can't be blank"],
    [{ ...h323, attributes: { ...h323.attributes, auth_user: 'u' } }, 'auth_user is not allowed.'],
    [{ ...iax2, attributes: { ...iax2.attributes, auth_enabled: true } }, "auth_user - can't be blank"],
  ])('is refused %j', async (configuration, detail) => {
    expect((await post(configuration)).errors.map((error) => error.detail)).toContain(detail);
  });

  test('shares them with nobody of the newest version', async () => {
    for (const configuration of [iax2, h323]) {
      const { errors } = await server.client.post('/voice_in_trunks', trunk({ configuration }));
      expect(errors).toMatchObject([{ status: '422', detail: 'configuration - is invalid' }]);
    }
  });
});
