/** Numbers of outbound trunks that are gone, or named twice. */
import { beforeAll, expect, test } from 'vitest';
import { credentials, patchOutboundTrunk, postOutboundTrunk } from '../../../../test/support/requests.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { createTelephony, type Telephony } from '../../../../test/support/telephony.ts';
import { useOpened } from '../../../../test/support/use.ts';

const server = useOpened(() => startTestServer());
let telephony: Telephony;
beforeAll(async () => {
  telephony = await createTelephony(server.env);
});

const didLinks = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'dids', id })) });
const authentication_method = credentials({ allowed_sip_ips: ['203.0.113.10'] });
const create = (attributes: object = {}, relationships: object = {}) =>
  postOutboundTrunk(server.client, { authentication_method, ...attributes }, relationships);
const patch = (id: string, attributes: object, relationships: object = {}) =>
  patchOutboundTrunk(server.client, id, attributes, relationships);

test('a trunk whose default number left the account can be blocked, renamed and deleted', async () => {
  const { id: did } = await telephony.did(server.accountId);
  const { id: other } = await telephony.did(server.accountId);
  const link = (to: string) => ({ default_did: { data: { type: 'dids', id: to } } });
  const { id } = (await create({ on_cli_mismatch_action: 'replace_cli' }, link(did))).resource;
  await server.env.db.deleteFrom('dids').where('id', '=', did).execute();
  const blocked = await patch(id, { status: 'blocked', name: `without ${id}`, on_cli_mismatch_action: 'replace_cli' });
  expect([blocked.status, blocked.resource.attributes.status]).toEqual([200, 'blocked']);
  expect(blocked.resource.relationships.default_did?.data).toBeNull();
  expect((await patch(id, {}, { default_did: { data: null } })).errors).toMatchObject([
    { detail: "default_did - can't be blank" },
  ]);
  expect((await patch(id, {}, link(other))).resource.relationships.default_did?.data).toMatchObject({ id: other });
  await server.env.db.deleteFrom('dids').where('id', '=', other).execute();
  expect((await server.client.delete(`/voice_out_trunks/${id}`)).status).toBe(204);
});

test.each(['dids', 'emergency_dids'])('%s are named once', async (name) => {
  const { id: did } = await telephony.did(server.accountId, { emergency_enabled: true });
  const { id } = (await create()).resource;
  const twice = { status: '422', detail: `${name} - is invalid`, source: { pointer: `/data/relationships/${name}` } };
  expect((await create({}, { [name]: didLinks(did, did) })).errors).toMatchObject([twice]);
  expect((await patch(id, {}, { [name]: didLinks(did, did) })).errors).toMatchObject([twice]);
  const joining = await server.client.post(`/voice_out_trunks/${id}/relationships/${name}`, didLinks(did, did));
  expect(joining.errors).toMatchObject([{ ...twice, source: { pointer: '/data' } }]);
  expect((await patch(id, {}, { [name]: didLinks(did) })).status).toBe(200);
});
