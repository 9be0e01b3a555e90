/** Inbound trunks are created and updated. */
import { describe, expect, test } from 'vitest';
import { configurationOf, useTrunks } from '../../../../test/support/use-trunks.ts';
import { setVoiceRate } from '../../../business/voice/rates.ts';
import { sipConfiguration } from './sip-configuration.ts';

const { server, sip, trunk, patch, created } = useTrunks();

describe('a new trunk', () => {
  test('has the documented defaults in every member', async () => {
    const { attributes } = await created({ name: 'hq' });
    expect(attributes).toMatchObject({
      name: 'hq',
      priority: 1,
      weight: 65_535,
      cli_format: 'e164',
      capacity_limit: null,
    });
    expect(attributes.configuration).toMatchObject({
      type: 'sip_configurations',
      attributes: {
        ...{ host: 'sip.example.net', port: null, transport_protocol_id: 1, network_protocol_priority: 'force_ipv4' },
        ...{ sst_min_timer: 600, sst_max_timer: 900, sst_accept_501: true, sip_timer_b: 8000, rtp_timeout: 30 },
        ...{ rerouting_disconnect_code_ids: null, incoming_auth_username: null, allowed_rtp_ips: null },
      },
    });
    // As the contract lists them, whatever order the database keeps.
    expect(Object.keys(configurationOf({ attributes }))).toEqual(Object.keys(sipConfiguration));
  });

  test('keeps a null that was sent for a member with a default', async () => {
    const { attributes } = await created({ configuration: sip({ dns_srv_failover_timer: null }) });
    expect(configurationOf({ attributes }).dns_srv_failover_timer).toBeNull();
  });

  test('takes numbers and booleans written as text, and a blank CLI format as e164', async () => {
    const { attributes } = await created({
      priority: '3',
      cli_format: '',
      configuration: sip({ port: '5060', resolve_ruri: 'true' }),
    });
    expect(attributes).toMatchObject({ priority: 3, cli_format: 'e164' });
    expect(configurationOf({ attributes })).toMatchObject({ port: 5060, resolve_ruri: true });
  });

  test('forwards to a telephone number where there is a rate, and to no emergency number', async () => {
    const pstn = (dst: string) => ({ type: 'pstn_configurations', attributes: { dst } });
    expect((await created({ configuration: pstn('442037691880') })).attributes.configuration).toEqual(
      pstn('442037691880'),
    );
    // 911 has a rate by its prefix, as a number in India would.
    await setVoiceRate(server.env, { kind: 'pstn_forwarding', prefix: '91', perMinute: '0.1' });
    for (const dst of ['99912345', '911']) {
      const { errors } = await server.client.post('/voice_in_trunks', trunk({ configuration: pstn(dst) }));
      expect(errors).toMatchObject([
        { detail: 'dst - is invalid', source: { pointer: '/data/attributes/configuration/attributes/dst' } },
      ]);
    }
  });

  test.each<[string, object, string, string]>([
    ['a host', sip({ host: null }), "host - can't be blank", 'host'],
    ['at least one codec', sip({ codec_ids: [] }), "codec_ids - can't be blank", 'codec_ids'],
    ['codecs that exist', sip({ codec_ids: [11] }), 'codec_ids - is invalid', 'codec_ids'],
    ['each codec once', sip({ codec_ids: [9, 9] }), 'codec_ids - is invalid', 'codec_ids'],
    [
      'credentials while they are asked for',
      sip({ auth_enabled: true, auth_user: 'u' }),
      "auth_password - can't be blank",
      'auth_password',
    ],
    ['no credentials while they are not', sip({ auth_user: 'u' }), 'auth_user - must be blank', 'auth_user'],
    ['no host while it registers', sip({ enabled_sip_registration: true }), 'host - must be blank', 'host'],
    ['no port either', sip({ enabled_sip_registration: true, host: null, port: 5060 }), 'port - must be blank', 'port'],
    [
      'the DID in the R-URI only while it registers',
      sip({ use_did_in_ruri: true }),
      'use_did_in_ruri - is invalid',
      'use_did_in_ruri',
    ],
    [
      'timers of a session',
      sip({ sst_enabled: true, sst_min_timer: null }),
      "sst_min_timer - can't be blank",
      'sst_min_timer',
    ],
    [
      'session timers in order',
      sip({ sst_max_timer: 500 }),
      'sst_max_timer - must be greater than or equal to 600',
      'sst_max_timer',
    ],
    [
      'a failover within timer B',
      sip({ dns_srv_failover_timer: 9000 }),
      'dns_srv_failover_timer - must be less than or equal to 8000',
      'dns_srv_failover_timer',
    ],
    [
      'rerouting codes that exist',
      sip({ rerouting_disconnect_code_ids: [61] }),
      'rerouting_disconnect_code_ids - is invalid',
      'rerouting_disconnect_code_ids',
    ],
    ['a user without @', sip({ username: 'a@b' }), 'username - is invalid', 'username'],
  ])('needs %s', async (_, configuration, detail, member) => {
    const response = await server.client.post('/voice_in_trunks', trunk({ configuration }));
    expect(response.status).toBe(422);
    expect(response.errors).toMatchObject([
      { detail, code: '100', source: { pointer: `/data/attributes/configuration/attributes/${member}` } },
    ]);
  });

  test('cannot choose the credentials that are generated, nor be without a configuration', async () => {
    const chosen = await server.client.post(
      '/voice_in_trunks',
      trunk({ configuration: sip({ incoming_auth_username: 'x' }) }),
    );
    expect(chosen.errors).toMatchObject([
      { status: '400', code: '105', detail: 'incoming_auth_username is not allowed.' },
    ]);
    const { configuration: _, ...without } = trunk().data.attributes;
    const missing = await server.client.post('/voice_in_trunks', {
      data: { type: 'voice_in_trunks', attributes: without },
    });
    expect([missing.status, missing.errors[0]?.code]).toEqual([400, '106']);
  });

  test('is pinned to a POP that exists', async () => {
    const pop = { data: { type: 'pops', id: '00000000-0000-4000-8000-000000000000' } };
    const { errors } = await server.client.post('/voice_in_trunks', trunk({}, { pop }));
    expect(errors).toMatchObject([{ detail: 'pop - is invalid', source: { pointer: '/data/relationships/pop' } }]);
  });
});

describe('an update', () => {
  test('merges the configuration member by member', async () => {
    const { id } = await created({ configuration: sip({ port: 5070, username: '{DID}' }) });
    const { attributes } = (
      await patch(id, { configuration: { type: 'sip_configurations', attributes: { port: 5080 } } })
    ).resource;
    expect(configurationOf({ attributes })).toMatchObject({ port: 5080, username: '{DID}', host: 'sip.example.net' });
  });

  test('cannot turn SIP into PSTN', async () => {
    const { id } = await created();
    const { errors } = await patch(id, { configuration: { type: 'pstn_configurations', attributes: { dst: '4420' } } });
    expect(errors).toMatchObject([
      { detail: 'configuration - is invalid', source: { pointer: '/data/attributes/configuration' } },
    ]);
  });

  test('to registration generates credentials, and back forgets them', async () => {
    const { id } = await created();
    const config = (attributes: object) => patch(id, { configuration: { type: 'sip_configurations', attributes } });
    const named = await config({ enabled_sip_registration: true, host: 'sip.example.org' });
    expect(named.errors.map(({ detail }) => detail)).toEqual(['host - must be blank']);
    const registering = await config({ enabled_sip_registration: true, use_did_in_ruri: true });
    expect(configurationOf(registering.resource)).toMatchObject({ host: null, port: null, use_did_in_ruri: true });
    const { incoming_auth_username, incoming_auth_password } = configurationOf(registering.resource);
    expect([incoming_auth_username, incoming_auth_password]).toEqual([
      expect.stringMatching(/^[A-Za-z0-9]{16}$/),
      expect.stringMatching(/^[A-Za-z0-9]{16}$/),
    ]);
    expect((await config({ host: 'sip.example.org' })).status).toBe(422);
    const kept = await config({ rtp_ping: true, host: null, port: null });
    expect(configurationOf(kept.resource)).toMatchObject({ incoming_auth_username, incoming_auth_password });
    expect((await config({ enabled_sip_registration: false })).status).toBe(422);
    const back = await config({ enabled_sip_registration: false, host: 'sip.example.org', use_did_in_ruri: false });
    expect(configurationOf(back.resource)).toMatchObject({
      host: 'sip.example.org',
      incoming_auth_username: null,
      incoming_auth_password: null,
    });
  });

  test('that switches authentication off forgets the password', async () => {
    const { id } = await created({ configuration: sip({ auth_enabled: true, auth_user: 'u', auth_password: 'p' }) });
    const response = await patch(id, {
      configuration: { type: 'sip_configurations', attributes: { auth_enabled: false } },
    });
    expect(configurationOf(response.resource)).toMatchObject({
      auth_enabled: false,
      auth_user: null,
      auth_password: null,
    });
  });
});
