import { facts, type ObjectType } from '../../jsonapi/facts.ts';
import { reroutingCodes } from '../../voice/inbound/rerouting.ts';

/** Every member of a SIP configuration, in the order the contract lists them. */

const CODEC_IDS = [6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19];
export const MEDIA_ENCRYPTION_MODES = ['disabled', 'srtp_sdes', 'srtp_dtls', 'zrtp'] as const;

const text = (options = {}) => facts('string', { nullable: true, write: 'both', ...options });
const word = (words: readonly string[], fallback: string) =>
  facts('string', { write: 'both', enum: words, default: fallback });
const choice = (numbers: readonly number[], fallback: number) =>
  facts('integer', { write: 'both', enum: numbers, default: fallback });
const toggle = (fallback: boolean, options = {}) => facts('boolean', { write: 'both', default: fallback, ...options });
const count = (options: object) => facts('integer', { write: 'both', ...options });

const registering = { enabled_sip_registration: true };
const notRegistering = { enabled_sip_registration: false };

export const sipConfiguration: ObjectType = {
  username: text({ pattern: '^[^\\s@]*$' }),
  host: text({ format: 'hostname-or-ip', requiredIf: notRegistering, forbiddenIf: registering }),
  port: count({ nullable: true, min: 1, max: 65_535, forbiddenIf: registering }),
  transport_protocol_id: choice([1, 2, 3], 1),
  network_protocol_priority: word(['force_ipv4', 'force_ipv6', 'any', 'prefer_ipv4', 'prefer_ipv6'], 'force_ipv4'),
  resolve_ruri: toggle(false),
  use_did_in_ruri: toggle(false, { trueOnlyIf: registering }),
  codec_ids: facts('array', {
    write: 'both',
    required: true,
    items: { type: 'integer', enum: CODEC_IDS },
    minItems: 1,
    uniqueItems: true,
  }),
  rx_dtmf_format_id: choice([1, 2, 3], 1),
  // Sources disagree on what the numbers mean; all of them are kept as sent (ruling).
  tx_dtmf_format_id: choice([0, 1, 2, 3, 4], 1),
  auth_enabled: toggle(false),
  auth_user: text({ requiredIf: { auth_enabled: true }, forbiddenIf: { auth_enabled: false } }),
  auth_password: text({ requiredIf: { auth_enabled: true }, forbiddenIf: { auth_enabled: false } }),
  auth_from_user: text(),
  auth_from_domain: text(),
  enabled_sip_registration: toggle(false),
  incoming_auth_username: facts('string', { nullable: true }),
  incoming_auth_password: facts('string', { nullable: true }),
  sst_enabled: toggle(false),
  sst_min_timer: count({ nullable: true, min: 1, default: 600, requiredIf: { sst_enabled: true } }),
  sst_max_timer: count({
    nullable: true,
    min: 1,
    default: 900,
    requiredIf: { sst_enabled: true },
    minField: 'sst_min_timer',
  }),
  sst_session_expires: count({ nullable: true, minField: 'sst_min_timer', maxField: 'sst_max_timer' }),
  sst_refresh_method_id: choice([1, 2, 3], 1),
  sst_accept_501: toggle(true),
  sip_timer_b: count({ min: 1000, max: 64_000, default: 8000 }),
  dns_srv_failover_timer: count({ nullable: true, min: 1, default: 2000, maxField: 'sip_timer_b' }),
  rtp_ping: toggle(false, { nullable: true }),
  rtp_timeout: count({ min: 5, max: 600, default: 30 }),
  force_symmetric_rtp: toggle(false, { nullable: true }),
  symmetric_rtp_ignore_rtcp: toggle(false, { nullable: true }),
  allowed_rtp_ips: facts('array', {
    nullable: true,
    write: 'both',
    items: { type: 'string', format: 'ip-or-subnet' },
    maxItems: 10,
    uniqueItems: true,
  }),
  media_encryption_mode: word(MEDIA_ENCRYPTION_MODES, 'disabled'),
  stir_shaken_mode: word(['disabled', 'original', 'pai', 'original_pai', 'verstat'], 'disabled'),
  diversion_relay_policy: word(['none', 'as_is', 'sip', 'tel'], 'none'),
  diversion_inject_mode: word(['none', 'did_number'], 'none'),
  cnam_lookup: toggle(false),
  max_transfers: count({ min: 0, max: 8, default: 0 }),
  max_30x_redirects: count({ min: 0, max: 8, default: 0 }),
  rerouting_disconnect_code_ids: facts('array', {
    nullable: true,
    write: 'both',
    items: { type: 'integer', enum: Object.keys(reroutingCodes).map(Number) },
    uniqueItems: true,
  }),
};

/** Forwarding to a telephone number. */
export const pstnConfiguration: ObjectType = {
  dst: facts('string', { write: 'both', required: true, maxLength: 15, pattern: '^[0-9]+$' }),
};

export const configurations = { sip_configurations: sipConfiguration, pstn_configurations: pstnConfiguration };
