/** Outbound trunks: numbers, credentials, older versions. */

import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectDescribed } from '../../../../test/support/described-callbacks.ts';
import { runDueJobs } from '../../../../test/support/environment.ts';
import { startReceiver } from '../../../../test/support/receiver.ts';
import {
  credentials as credentialsWith,
  patchOutboundTrunk,
  postOutboundTrunk,
} from '../../../../test/support/requests.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { createTelephony, type Telephony } from '../../../../test/support/telephony.ts';
import { useOpened } from '../../../../test/support/use.ts';

const server = useOpened(() => startTestServer());
let telephony: Telephony;
beforeAll(async () => {
  telephony = await createTelephony(server.env);
});

const credentials = (attributes: object = {}) =>
  credentialsWith({ allowed_sip_ips: ['203.0.113.10', '2001:db8::/32'], ...attributes });
const didLinks = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'dids', id })) });
const create = (attributes: object = {}, relationships: object = {}) =>
  postOutboundTrunk(server.client, { authentication_method: credentials(), ...attributes }, relationships);
const created = async (attributes: object = {}, relationships: object = {}) => {
  const response = await create(attributes, relationships);
  expect(response.errors).toEqual([]);
  return response.resource;
};
const patch = (id: string, attributes: object, relationships: object = {}) =>
  patchOutboundTrunk(server.client, id, attributes, relationships);
const methodOf = (resource: { attributes: Record<string, unknown> }) =>
  resource.attributes.authentication_method as { type: string; attributes: Record<string, unknown> };

describe('a new outbound trunk', () => {
  test('has the documented defaults, generated credentials and addresses as subnets', async () => {
    const trunk = await created();
    expect(trunk.attributes).toMatchObject({
      ...{ status: 'active', capacity_limit: null, allow_any_did_as_cli: false, default_dst_action: 'allow_all' },
      ...{ dst_prefixes: [], media_encryption_mode: 'disabled', allowed_rtp_ips: null, rtp_timeout: 30 },
      ...{ threshold_amount: '3000.0', threshold_reached: false, callback_url: null, emergency_enable_all: false },
    });
    expect(trunk.meta).toEqual({ spent_amount: '0.0' });
    expect(Object.keys(methodOf(trunk).attributes)).toEqual(['allowed_sip_ips', 'tech_prefix', 'username', 'password']);
    expect(methodOf(trunk)).toEqual({
      type: 'credentials_and_ip',
      attributes: {
        allowed_sip_ips: ['203.0.113.10/32', '2001:db8::/32'],
        tech_prefix: null,
        username: expect.stringMatching(/^[A-Za-z0-9]{16}$/),
        password: expect.stringMatching(/^[A-Za-z0-9]{16}$/),
      },
    });
  });

  test('keeps each prefix once, an empty tech prefix as null, a status of null as active', async () => {
    const trunk = await created({
      dst_prefixes: ['44', '49', '44'],
      status: null,
      authentication_method: credentials({ tech_prefix: '' }),
    });
    expect(trunk.attributes).toMatchObject({ dst_prefixes: ['44', '49'], status: 'active' });
    expect(methodOf(trunk).attributes.tech_prefix).toBeNull();
  });

  const method = '/data/attributes/authentication_method';
  test.each<[string, object, string, string]>([
    [
      'ip_only',
      { type: 'ip_only', attributes: { allowed_sip_ips: ['1.2.3.4'] } },
      'type - is not allowed for creation',
      `${method}/type`,
    ],
    [
      'twilio without an account',
      { type: 'twilio', attributes: {} },
      "twilio_account_sid - can't be blank",
      `${method}/attributes/twilio_account_sid`,
    ],
    [
      'twilio with nonsense',
      { type: 'twilio', attributes: { twilio_account_sid: 'x' } },
      'twilio_account_sid - is invalid',
      `${method}/attributes/twilio_account_sid`,
    ],
    [
      'credentials without addresses',
      { type: 'credentials_and_ip', attributes: {} },
      'authentication_method - is invalid',
      method,
    ],
    ['an unknown method', { type: 'pigeon', attributes: {} }, 'authentication_method - is invalid', method],
  ])('refuses %s', async (_, authentication_method, detail, pointer) => {
    expect((await create({ authentication_method })).errors).toMatchObject([
      { status: '422', detail, source: { pointer } },
    ]);
  });

  test('without a method is refused before its values are looked at', async () => {
    const data = { type: 'voice_out_trunks', attributes: { name: 'no method' } };
    expect((await server.client.post('/voice_out_trunks', { data })).errors).toMatchObject([
      { status: '400', code: '106', detail: 'The required parameter, authentication_method, is missing.' },
    ]);
  });

  test('has a name of its own, and an account of Twilio belongs to one trunk anywhere', async () => {
    await created({ name: 'twice' });
    expect((await create({ name: 'twice' })).errors).toMatchObject([{ detail: 'name - has already been taken' }]);
    const sid = { type: 'twilio', attributes: { twilio_account_sid: `AC${'0'.repeat(32)}` } };
    await created({ authentication_method: sid });
    const other = await server.addAccount();
    const taken = await postOutboundTrunk(other.client, { authentication_method: sid });
    expect(taken.errors).toMatchObject([{ detail: 'twilio_account_sid - has already been taken' }]);
  });

  test.each<[string, object]>([
    ['threshold_amount', { threshold_amount: '100000.1' }],
    ['rtp_timeout', { rtp_timeout: 29 }],
    ['dst_prefixes', { dst_prefixes: ['4a'] }],
    ['callback_url', { callback_url: 'ftp://h.test' }],
  ])('keeps %s within bounds', async (name, attributes) => {
    expect((await create(attributes)).errors[0]?.source?.pointer).toBe(`/data/attributes/${name}`);
  });
});

describe('numbers of a trunk', () => {
  test('are replaced as a whole, and dropped when any number may be shown', async () => {
    const [a, b] = [await telephony.did(server.accountId), await telephony.did(server.accountId)];
    const { id } = await created({}, { dids: didLinks(a.id, b.id) });
    const one = await patch(id, {}, { dids: didLinks(b.id) });
    expect(one.resource.relationships.dids?.data).toEqual([{ type: 'dids', id: b.id }]);
    expect((await patch(id, { allow_any_did_as_cli: true }, { dids: didLinks(b.id) })).errors).toMatchObject([
      { detail: 'dids - must be blank', source: { pointer: '/data/relationships/dids' } },
    ]);
    const any = await patch(id, { allow_any_did_as_cli: true });
    expect(any.resource.relationships.dids?.data).toEqual([]);
  });

  test('for emergency calls are those listed, or every one that can make them', async () => {
    const able = await telephony.did(server.accountId, { emergency_enabled: true });
    const listed = await telephony.did(server.accountId, { emergency_enabled: true });
    const { id } = await created({}, { emergency_dids: didLinks(listed.id) });
    const shown = async () =>
      (await server.client.get(`/voice_out_trunks/${id}?include=emergency_dids`)).resource.relationships.emergency_dids;
    expect((await shown())?.data).toEqual([{ type: 'dids', id: listed.id }]);
    await server.env.db.updateTable('dids').set({ emergency_enabled: false }).where('id', '=', listed.id).execute();
    expect((await shown())?.data).toEqual([]);
    expect((await patch(id, {}, { emergency_dids: didLinks(listed.id, able.id) })).errors).toMatchObject([
      {
        status: '422',
        detail: `emergency_dids/${listed.id} - is not enabled for emergency calling`,
        source: { pointer: `/data/relationships/emergency_dids/${listed.id}` },
      },
    ]);
    const all = await patch(id, { emergency_enable_all: true });
    expect(all.resource.relationships.emergency_dids?.data).toEqual([{ type: 'dids', id: able.id }]);
    expect((await patch(id, {}, { emergency_dids: didLinks(listed.id) })).errors).toMatchObject([
      { detail: 'emergency_dids - must be blank' },
    ]);
    const none = await patch(id, { emergency_enable_all: false });
    expect(none.resource.relationships.emergency_dids?.data).toEqual([]);
  });

  test('that wait for a registration, or are not there, cannot be linked', async () => {
    const waiting = await telephony.did(server.accountId, { awaiting_registration: true });
    expect((await create({}, { dids: didLinks(waiting.id) })).status).toBe(422);
    const foreign = await telephony.did((await server.addAccount()).accountId);
    expect((await create({}, { dids: didLinks(foreign.id) })).errors).toMatchObject([{ detail: 'dids - is invalid' }]);
  });

  test('replace_cli needs a default number, and nothing else may have one', async () => {
    const { id: did } = await telephony.did(server.accountId);
    const link = { default_did: { data: { type: 'dids', id: did } } };
    expect((await create({ on_cli_mismatch_action: 'replace_cli' })).errors).toMatchObject([
      { detail: "default_did - can't be blank" },
    ]);
    expect((await create({}, link)).errors).toMatchObject([{ detail: 'default_did - must be blank' }]);
    const { id } = await created({ on_cli_mismatch_action: 'replace_cli' }, link);
    const back = await patch(id, { on_cli_mismatch_action: 'reject_call' });
    expect(back.resource.relationships.default_did?.data).toBeNull();
  });
});

describe('credentials', () => {
  test('stay when the method is sent again, and change when asked to', async () => {
    const trunk = await created();
    const { username } = methodOf(trunk).attributes;
    const again = await patch(trunk.id, { authentication_method: credentials({ tech_prefix: '99#' }) });
    expect(methodOf(again.resource).attributes).toMatchObject({ username, tech_prefix: '99#' });
    const link = { voice_out_trunk: { data: { type: 'voice_out_trunks', id: trunk.id } } };
    const body = { data: { type: 'voice_out_trunk_regenerate_credentials', relationships: link } };
    const answer = await server.client.post('/voice_out_trunk_regenerate_credentials', body);
    expect([answer.status, answer.body.data]).toEqual([
      201,
      { id: trunk.id, type: 'voice_out_trunk_regenerate_credentials' },
    ]);
    const fresh = methodOf((await server.client.get(`/voice_out_trunks/${trunk.id}`)).resource).attributes;
    expect(fresh.username).toMatch(/^[A-Za-z0-9]{16}$/);
    expect(fresh.username).not.toBe(username);
    expect(fresh.allowed_sip_ips).toEqual(['203.0.113.10/32', '2001:db8::/32']);
  });

  test('cannot be made for a trunk that has none', async () => {
    const trunk = await created({
      authentication_method: { type: 'twilio', attributes: { twilio_account_sid: `AC${'1'.repeat(32)}` } },
    });
    const link = { voice_out_trunk: { data: { type: 'voice_out_trunks', id: trunk.id } } };
    const answer = await server.client.post('/voice_out_trunk_regenerate_credentials', {
      data: { type: 'voice_out_trunk_regenerate_credentials', relationships: link },
    });
    expect(answer.status).toBe(422);
  });
});

test('blocking and unblocking by hand is told to the callback, as a list', async () => {
  const receiver = await startReceiver();
  const { id } = await created({ callback_url: receiver.url });
  for (const status of ['blocked', 'blocked', 'active']) {
    await patch(id, { status });
    await runDueJobs(server.env);
  }
  await receiver.close();
  const entry = { id, type: 'voice_out_trunks', threshold_reached: false, created_at: expect.stringMatching(/Z$/) };
  expect(receiver.received.map(({ body }) => JSON.parse(body))).toEqual([
    [{ ...entry, status: 'blocked' }],
    [{ ...entry, status: 'active' }],
  ]);
  expect(receiver.received[0]?.headers['content-type']).toBe('application/json');
  expectDescribed(receiver.received);
});

test('an account without outbound gets 403', async () => {
  const other = await server.addAccount({ features: { outbound: false } });
  for (const answer of [await other.client.get('/voice_out_trunks'), await postOutboundTrunk(other.client)]) {
    expect(answer.status).toBe(403);
  }
});

test('a trunk can be deleted, and its numbers stay', async () => {
  const { id: did } = await telephony.did(server.accountId);
  const { id } = await created({}, { dids: didLinks(did) });
  expect((await server.client.delete(`/voice_out_trunks/${id}`)).status).toBe(204);
  expect((await server.client.get(`/dids/${did}`)).status).toBe(200);
});

describe('a client of 2022-05-10', () => {
  const old = { headers: { 'x-service-api-version': '2022-05-10' } };
  const flat = (attributes: object) => ({
    data: {
      type: 'voice_out_trunks',
      attributes: { name: randomUUID(), on_cli_mismatch_action: 'reject_call', ...attributes },
    },
  });

  test('reads and writes credentials among the attributes, and can ask for some of them', async () => {
    const { resource } = await server.client.post('/voice_out_trunks', flat({ allowed_sip_ips: ['192.0.2.1'] }), old);
    expect(resource.attributes).toMatchObject({
      username: expect.any(String),
      password: expect.any(String),
      allowed_sip_ips: ['192.0.2.1/32'],
    });
    const fields = 'fields[voice_out_trunks]=username,allowed_sip_ips';
    const narrow = await server.client.get(`/voice_out_trunks/${resource.id}?${fields}`, old);
    expect(narrow.resource.attributes).toEqual({
      username: resource.attributes.username,
      allowed_sip_ips: ['192.0.2.1/32'],
    });
    const newer = `/voice_out_trunks/${resource.id}?fields[voice_out_trunks]=authentication_method`;
    expect((await server.client.get(newer, old)).errors).toMatchObject([{ code: '104' }]);
  });

  test.each([
    [{}, "allowed_sip_ips - can't be blank"],
    [{ allowed_sip_ips: ['nonsense'] }, 'allowed_sip_ips - is invalid'],
  ])('is told about its addresses where it sent them: %j', async (attributes, detail) => {
    const { errors } = await server.client.post('/voice_out_trunks', flat(attributes), old);
    expect(errors).toMatchObject([{ detail, source: { pointer: '/data/attributes/allowed_sip_ips' } }]);
  });
});
