/** Addresses of trunks in every form that the database may or may not read. */
import { expect, test } from 'vitest';
import { credentials, postOutboundTrunk } from '../../../../test/support/requests.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { candidateTrunks } from '../../../business/voice/outbound/find-trunks.ts';

const server = useOpened(() => startTestServer());

const create = (name: string, allowed_sip_ips: string[]) =>
  postOutboundTrunk(server.client, { name, authentication_method: credentials({ allowed_sip_ips }) });

test.each([
  [['fe80::1%eth0']],
  [['192.0.2.1/24']],
  [['192.0.2.1', '192.0.2.1/32']],
  [['2001:db8::1', '2001:DB8:0::1']],
])('addresses that the database would not read, or read as the same, are refused: %j', async (addresses) => {
  expect((await create('refused', addresses)).status).toBe(422);
});

test('an entry that is no address fails nobody else’s calls', async () => {
  const own = (await create('own', ['192.0.2.0/24'])).resource.id;
  const other = (await create('other', ['198.51.100.1'])).resource.id;
  const stored = { allowed_sip_ips: ['fe80::1%eth0'], tech_prefix: null, username: 'u', password: 'p' };
  await server.env.pool.query('update voice_out_trunks set authentication = $2 where id = $1', [other, stored]);
  const request = { sourceIp: '192.0.2.7', twilioAccountSid: null, digest: null, from: '1', to: '2' };
  const found = await candidateTrunks(server.env, request);
  expect(found.map(({ id }) => id)).toEqual([own]);
});

test('a trunk is found by its networks, of either family, or by its Twilio account, in any case', async () => {
  const byAddress = (await create('both', ['203.0.113.0/24', '2001:db8::/32'])).resource.id;
  const sid = `AC${'0a'.repeat(16)}`;
  const method = { type: 'twilio', attributes: { twilio_account_sid: sid } };
  const attributes = { name: 'twilio', on_cli_mismatch_action: 'reject_call', authentication_method: method };
  const made = await server.client.post('/voice_out_trunks', { data: { type: 'voice_out_trunks', attributes } });
  const found = async (sourceIp: string, twilioAccountSid: string | null = null) => {
    const request = { sourceIp, twilioAccountSid, digest: null, from: '1', to: '2' };
    return (await candidateTrunks(server.env, request)).map(({ id }) => id);
  };
  expect(await found('203.0.113.9')).toEqual([byAddress]);
  expect(await found('2001:db8::5')).toEqual([byAddress]);
  expect(await found('203.0.114.9')).toEqual([]);
  expect(await found('192.0.2.9', sid.toUpperCase())).toContain(made.resource.id);
  // The header alone, from elsewhere, is nobody's.
  expect(await found('203.0.114.9', sid.toUpperCase())).toEqual([]);
});
