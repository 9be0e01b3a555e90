/**
 * The members of nested objects are stored too: each of a trunk's configuration and of its authentication is written,
 * when a record is created and when it is changed, and read back.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { document } from '../../../../test/support/paperwork.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { setVoiceRate } from '../../../business/voice/rates.ts';
import type { ObjectType } from '../../../engines/jsonapi/facts.ts';
import { configurations } from '../inbound-trunks/sip-configuration.ts';
import { authenticationMethods } from '../outbound-trunks/authentication.ts';

type Members = Readonly<Record<string, unknown>>;

const server = useOpened(() => startTestServer({ account: { balance: '1000' } }));

// Numbers are forwarded where there is a rate.
beforeAll(() => setVoiceRate(server.env, { kind: 'pstn_forwarding', prefix: '44', perMinute: '0.1' }));

const host = 'sip.example.test';

/** Of each type, several where members exclude each other; no value is the default. */
const written: Readonly<Record<string, readonly Members[]>> = {
  sip_configurations: [
    {
      ...{ username: '{DID}', host, port: 5070, transport_protocol_id: 3, network_protocol_priority: 'prefer_ipv6' },
      ...{ resolve_ruri: true, codec_ids: [10, 6], rx_dtmf_format_id: 3, tx_dtmf_format_id: 4 },
      ...{ auth_enabled: true, auth_user: 'u', auth_password: 'p', auth_from_user: 'f', auth_from_domain: host },
      ...{ sst_enabled: true, sst_min_timer: 700, sst_max_timer: 800, sst_session_expires: 750 },
      ...{ sst_refresh_method_id: 2, sst_accept_501: false, sip_timer_b: 9000, dns_srv_failover_timer: 3000 },
      ...{ rtp_ping: true, rtp_timeout: 40, force_symmetric_rtp: true, symmetric_rtp_ignore_rtcp: true },
      ...{ allowed_rtp_ips: ['192.0.2.1/32'], media_encryption_mode: 'srtp_sdes', stir_shaken_mode: 'pai' },
      ...{ diversion_relay_policy: 'tel', diversion_inject_mode: 'did_number', cnam_lookup: true },
      ...{ max_transfers: 3, max_30x_redirects: 4, rerouting_disconnect_code_ids: [56, 58] },
    },
    { enabled_sip_registration: true, use_did_in_ruri: true, codec_ids: [9] },
  ],
  pstn_configurations: [{ dst: '442037691880' }],
  credentials_and_ip: [{ allowed_sip_ips: ['203.0.113.10/32'], tech_prefix: '77#' }],
  twilio: [{ twilio_account_sid: `AC${'0'.repeat(32)}` }],
};

/** What customers can write of the types that the newest version knows. */
const types: Readonly<Record<string, ObjectType>> = Object.fromEntries(
  Object.entries({ ...configurations, ...authenticationMethods }).filter(
    ([name, type]) =>
      !name.includes('iax2') && !name.includes('h323') && Object.values(type).some(({ create }) => create),
  ),
);

test('there is a value for each of them', () => {
  const declared = Object.entries(types).map(([type, members]) => [
    type,
    Object.keys(members)
      .filter((name) => members[name]?.create)
      .sort(),
  ]);
  const values = Object.entries(written).map(([type, all]) => [type, [...new Set(all.flatMap(Object.keys))].sort()]);
  expect(Object.fromEntries(values)).toEqual(Object.fromEntries(declared));
});

const each = Object.entries(written).flatMap(([type, all]) =>
  all.map((members) => [type, Object.keys(members).length, members] as const),
);

test.each(each)('%s with %i members', async (type, _count, members) => {
  const isInbound = Object.hasOwn(configurations, type);
  const [records, attribute] = isInbound
    ? (['voice_in_trunks', 'configuration'] as const)
    : (['voice_out_trunks', 'authentication_method'] as const);
  const more = isInbound ? {} : { on_cli_mismatch_action: 'send_original_cli' };
  const whole = { name: randomUUID(), ...more, [attribute]: { type, attributes: members } };
  const created = await server.client.post(`/${records}`, document(records, whole));
  expect([created.status, created.status === 201 || created.text]).toEqual([201, true]);
  await expectThere(created.resource.id);
  expect((await server.client.delete(`/${records}/${created.resource.id}`)).status).toBe(204);

  const other =
    type === 'pstn_configurations' ? { dst: '442037691889' } : { host: 'other.example.test', codec_ids: [8] };
  const before = { name: randomUUID(), ...more, [attribute]: otherwise(type, other) };
  const changing = await server.client.post(`/${records}`, document(records, before));
  expect([changing.status, changing.status === 201 || changing.text]).toEqual([201, true]);
  const { data } = document(records, { [attribute]: { type, attributes: members } });
  const { id } = changing.resource;
  const changed = await server.client.patch(`/${records}/${id}`, { data: { ...data, id } });
  expect([changed.status, changed.status === 200 || changed.text]).toEqual([200, true]);
  await expectThere(id);

  async function expectThere(record: string) {
    const { resource } = await server.client.get(`/${records}/${record}`);
    expect(resource.attributes[attribute]).toEqual({ type, attributes: expect.objectContaining(members) });
  }
});

/** Another object of the same kind, which a change then turns into the one that is written. */
function otherwise(type: string, members: Members) {
  if (type === 'twilio') return { type, attributes: { twilio_account_sid: `AC${'1'.repeat(32)}` } };
  if (type === 'credentials_and_ip') return { type, attributes: { allowed_sip_ips: ['203.0.113.99/32'] } };
  return { type, attributes: members };
}
