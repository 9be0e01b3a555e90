/**
 * Trunks. Inbound: SIP configurations had no registration, diversion or caller name lookup. Outbound: credentials and
 * allowed addresses were attributes of the trunk itself, and there was no other way to authenticate.
 */
import { list, text } from '../../../engines/jsonapi/attributes.ts';
import { type Change, rewritten } from '../../../engines/jsonapi/versions/change.ts';
import { hadAttribute, noMembers } from '../../../engines/jsonapi/versions/members.ts';
import { noObjectMembers } from '../../../engines/jsonapi/versions/objects.ts';

const outbound = 'voice_out_trunks';
const method = 'authentication_method';

const username = text({
  nullable: true,
  column: "t.authentication->>'username'",
  doc: 'The user name to call with; generated.',
});

const password = {
  ...text({
    nullable: true,
    column: "t.authentication->>'password'",
    doc: 'The password to call with; generated.',
  }),
  decode: (stored: string, { hidesSecrets = false }) => (hidesSecrets ? null : stored),
};

const allowedAddresses = list(
  { type: 'string', format: 'ip-or-subnet' },
  {
    write: 'both',
    required: true,
    minItems: 1,
    maxItems: 60,
    uniqueItems: true,
    column: "coalesce(t.authentication->'allowed_sip_ips', '[]')",
    doc: 'Addresses and subnets that calls are accepted from.',
  },
);

export const trunks: readonly Change[] = [
  noObjectMembers(
    'voice_in_trunks',
    'configuration',
    'sip_configurations',
    ...['network_protocol_priority', 'use_did_in_ruri', 'enabled_sip_registration', 'incoming_auth_username'],
    ...['incoming_auth_password', 'diversion_relay_policy', 'diversion_inject_mode', 'cnam_lookup'],
  ),
  noMembers(outbound, method, 'rtp_timeout', 'emergency_enable_all', 'emergency_dids'),
  hadAttribute(outbound, 'username', username),
  hadAttribute(outbound, 'password', password),
  hadAttribute(outbound, 'allowed_sip_ips', allowedAddresses, {
    input: (allowed_sip_ips) => ({ [method]: { type: 'credentials_and_ip', attributes: { allowed_sip_ips } } }),
  }),
  rewritten(outbound, {
    problem: (problem) =>
      problem.source?.pointer.startsWith(`/data/attributes/${method}`)
        ? { ...problem, source: { pointer: '/data/attributes/allowed_sip_ips' } }
        : problem,
  }),
];
