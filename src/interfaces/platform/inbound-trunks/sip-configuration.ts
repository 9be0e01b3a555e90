/** The types of configuration that an inbound trunk can have: where and how calls are sent. */
import { facts, type Meanings, type ObjectType } from '../../../engines/jsonapi/facts.ts';
import {
  codecTexts,
  diversionInjections,
  diversionRelays,
  mediaDocs,
  mediaEncryptionModes,
  networks,
  receivedDtmf,
  reroutingCodeTexts,
  sentDtmf,
  sessionRefresh,
  stirShakenModes,
  transports,
} from './sip-values.ts';

const text = (doc: string, options = {}) => facts('string', { nullable: true, write: 'both', doc, ...options });
const word = (doc: string, values: Meanings, fallback: string) =>
  facts('string', { write: 'both', values, default: fallback, doc });
const choice = (doc: string, values: Meanings, fallback: number) =>
  facts('integer', { write: 'both', values, default: fallback, doc });
const toggle = (doc: string, fallback: boolean, options = {}) =>
  facts('boolean', { write: 'both', default: fallback, doc, ...options });
const count = (doc: string, options: object) => facts('integer', { write: 'both', doc, ...options });
const codecs = (doc: string) =>
  facts('array', {
    write: 'both',
    required: true,
    items: { type: 'integer', values: codecTexts },
    minItems: 1,
    uniqueItems: true,
    doc,
  });

const registering = { enabled_sip_registration: true };
const notRegistering = { enabled_sip_registration: false };
const authenticating = { requiredIf: { auth_enabled: true }, forbiddenIf: { auth_enabled: false } };

export const sipConfiguration: ObjectType = {
  username: text('The user part of the request URI; `{DID}` stands for the number that was called.', {
    pattern: '^[^\\s@]*$',
  }),
  host: text('The host name or address that calls are sent to.', {
    format: 'hostname-or-ip',
    requiredIf: notRegistering,
    forbiddenIf: registering,
  }),
  port: count('The port; null looks it up in the DNS.', {
    nullable: true,
    min: 1,
    max: 65_535,
    forbiddenIf: registering,
  }),
  transport_protocol_id: choice('How SIP is carried.', transports, 1),
  network_protocol_priority: word('IPv4 or IPv6.', networks, 'force_ipv4'),
  resolve_ruri: toggle('Whether the request URI holds the resolved address instead of the host name.', false),
  use_did_in_ruri: toggle('Whether the request URI holds the number that was called.', false, {
    trueOnlyIf: registering,
  }),
  codec_ids: codecs('The codecs that are offered, the preferred one first.'),
  rx_dtmf_format_id: choice('How key presses are received from you.', receivedDtmf, 1),
  tx_dtmf_format_id: choice('How key presses are sent to you.', sentDtmf, 1),
  auth_enabled: toggle('Whether calls to you are authenticated with `auth_user` and `auth_password`.', false),
  auth_user: text('The user name for your SIP server.', authenticating),
  auth_password: text('The password for your SIP server.', { ...authenticating, secret: true }),
  auth_from_user: text('The user part of the `From` header.'),
  auth_from_domain: text('The domain of the `From` header.'),
  enabled_sip_registration: toggle('Whether your equipment registers here instead of being a fixed host.', false),
  incoming_auth_username: facts('string', { nullable: true, doc: 'The user name to register with; generated.' }),
  incoming_auth_password: facts('string', {
    nullable: true,
    secret: true,
    doc: 'The password to register with; generated.',
  }),
  sst_enabled: toggle('Whether session timers are used.', false),
  sst_min_timer: count('The shortest session interval, in seconds.', {
    nullable: true,
    min: 1,
    default: 600,
    requiredIf: { sst_enabled: true },
  }),
  sst_max_timer: count('The longest session interval, in seconds.', {
    nullable: true,
    min: 1,
    default: 900,
    requiredIf: { sst_enabled: true },
    minField: 'sst_min_timer',
  }),
  sst_session_expires: count('The interval that is asked for, in seconds.', {
    nullable: true,
    minField: 'sst_min_timer',
    maxField: 'sst_max_timer',
  }),
  sst_refresh_method_id: choice('The request that refreshes a session.', sessionRefresh, 1),
  sst_accept_501: toggle('Whether a 501 to a refresh leaves the call up.', true),
  sip_timer_b: count('Milliseconds to wait for an answer to an INVITE.', { min: 1000, max: 64_000, default: 8000 }),
  dns_srv_failover_timer: count('Milliseconds before the next SRV host is tried.', {
    nullable: true,
    min: 1,
    default: 2000,
    maxField: 'sip_timer_b',
  }),
  rtp_ping: toggle(mediaDocs.ping, false, { nullable: true }),
  rtp_timeout: count(mediaDocs.timeout, { min: 5, max: 600, default: 30 }),
  force_symmetric_rtp: toggle(mediaDocs.symmetric, false, { nullable: true }),
  symmetric_rtp_ignore_rtcp: toggle(
    'Whether the source of RTCP says nothing about where RTP is sent. rtpengine never lets it; with ' +
      '`TRUNKLINE_MEDIA=direct` without effect.',
    false,
    { nullable: true },
  ),
  allowed_rtp_ips: facts('array', {
    nullable: true,
    write: 'both',
    items: { type: 'string', format: 'ip-or-subnet' },
    maxItems: 10,
    uniqueItems: true,
    doc: mediaDocs.allowedAddresses,
  }),
  media_encryption_mode: word(mediaDocs.encryption, mediaEncryptionModes, 'disabled'),
  stir_shaken_mode: word('How the attestation of the caller is passed on.', stirShakenModes, 'disabled'),
  diversion_relay_policy: word('What happens to `Diversion` headers of the caller.', diversionRelays, 'none'),
  diversion_inject_mode: word('Whether a `Diversion` header is added.', diversionInjections, 'none'),
  cnam_lookup: toggle('Whether the name of the caller is looked up.', false),
  max_transfers: count('How often a call may be transferred.', { min: 0, max: 8, default: 0 }),
  max_30x_redirects: count('How many redirects are followed.', { min: 0, max: 8, default: 0 }),
  rerouting_disconnect_code_ids: facts('array', {
    nullable: true,
    write: 'both',
    items: { type: 'integer', values: reroutingCodeTexts },
    uniqueItems: true,
    doc: 'Ends of an attempt after which the next trunk of the group is tried.',
  }),
};

/** Forwarding to a telephone number. */
const pstnConfiguration: ObjectType = {
  dst: facts('string', {
    write: 'both',
    required: true,
    maxLength: 15,
    pattern: '^[0-9]+$',
    doc: 'The number to forward to, with its country code and without `+`.',
  }),
};

const address = {
  dst: facts('string', {
    write: 'both',
    required: true,
    doc: 'The extension to call; {CALL_DID} stands for the called number.',
  }),
  host: facts('string', {
    write: 'both',
    required: true,
    format: 'hostname-or-ip',
    doc: 'Host name or IP address of the equipment.',
  }),
  port: facts('integer', { nullable: true, write: 'both', min: 1, max: 65_535, doc: 'Port of the equipment.' }),
  codec_ids: codecs('Codecs to offer, the preferred one first.'),
};

const credential = (doc: string, secret = false) =>
  facts('string', {
    nullable: true,
    write: 'both',
    requiredIf: { auth_enabled: true },
    doc,
    ...(secret ? { secret } : {}),
  });

const iax2Configuration: ObjectType = {
  ...address,
  auth_enabled: facts('boolean', { write: 'both', default: false, doc: 'Whether calls are sent with credentials.' }),
  auth_user: credential('User name of the credentials.'),
  auth_password: credential('Password of the credentials.', true),
};

export const configurations = {
  sip_configurations: sipConfiguration,
  pstn_configurations: pstnConfiguration,
  iax2_configurations: iax2Configuration,
  h323_configurations: address,
};

/** The first version that does not accept each of them. */
export const formerUntil = { iax2_configurations: '2026-04-16', h323_configurations: '2026-04-16' };
