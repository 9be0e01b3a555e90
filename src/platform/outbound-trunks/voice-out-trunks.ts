import { boolean, dateTime, decimal, integer, list, text } from '../../jsonapi/attributes.ts';
import { toMany, toOne } from '../../jsonapi/declare.ts';
import { anyId, anyOf, contains, flag } from '../../jsonapi/filters.ts';
import { spentSql, windowStart } from '../../voice/outbound/spent.ts';
import { needsFeature, owned } from '../declare.ts';
import { MEDIA_ENCRYPTION_MODES } from '../inbound-trunks/sip-configuration.ts';
import { authenticationMethod } from './authentication.ts';
import { createVoiceOutTrunk } from './create-voice-out-trunk.ts';
import { deleteVoiceOutTrunk } from './delete-voice-out-trunk.ts';
import { updateVoiceOutTrunk } from './update-voice-out-trunk.ts';

const CLI_ACTIONS = ['reject_call', 'send_original_cli', 'replace_cli', 'randomize_cli'];
const addresses = { type: 'string', format: 'ip-or-subnet' } as const;
const linked = (table: string) => ({ through: { table, from: 'voice_out_trunk_id', to: 'did_id' } });

/** Who may call out, with which number, to where, and for how much in a day. */
export const voiceOutTrunks = owned('voice_out_trunks', {
  group: 'Outbound trunks',
  summary: 'Who may call out, with which number, to where, and for how much in a day.',
  attributes: {
    name: text({ write: 'both', required: true }),
    status: {
      ...text({ write: 'both', enum: ['active', 'blocked'], default: 'active' }),
      accept: (sent) => sent ?? 'active',
    },
    external_reference_id: text({ nullable: true, write: 'both', maxLength: 100 }),
    capacity_limit: integer({ nullable: true, write: 'both', min: 1, max: 32_767 }),
    allow_any_did_as_cli: boolean({ write: 'both', default: false }),
    on_cli_mismatch_action: text({ write: 'both', required: true, enum: CLI_ACTIONS }),
    default_dst_action: text({ write: 'both', enum: ['allow_all', 'reject_all'], default: 'allow_all' }),
    dst_prefixes: list({ type: 'string', pattern: '^[0-9]+$' }, { write: 'both', default: [] }),
    media_encryption_mode: text({ write: 'both', enum: MEDIA_ENCRYPTION_MODES, default: 'disabled' }),
    allowed_rtp_ips: list(addresses, { nullable: true, write: 'both', maxItems: 60, uniqueItems: true }),
    force_symmetric_rtp: boolean({ write: 'both', default: false }),
    rtp_ping: boolean({ write: 'both', default: false }),
    rtp_timeout: integer({ write: 'both', min: 30, max: 600, default: 30 }),
    threshold_amount: decimal({ write: 'both', min: 0, max: 100_000, default: '3000.0' }),
    callback_url: text({ nullable: true, write: 'both', format: 'uri' }),
    emergency_enable_all: boolean({ write: 'both', default: false }),
    created_at: dateTime(),
    threshold_reached: boolean({ default: false }),
    authentication_method: authenticationMethod,
  },
  relationships: {
    dids: toMany('dids', {
      write: 'both',
      forbiddenIf: { allow_any_did_as_cli: true },
      ...linked('voice_out_trunk_dids'),
    }),
    emergency_dids: toMany('dids', {
      write: 'both',
      forbiddenIf: { emergency_enable_all: true },
      ...linked('voice_out_trunk_emergency_links'),
    }),
    default_did: toOne('dids', {
      nullable: true,
      write: 'both',
      feature: 'replace_cli',
      requiredIf: { on_cli_mismatch_action: 'replace_cli' },
      forbiddenIf: { on_cli_mismatch_action: ['reject_call', 'send_original_cli', 'randomize_cli'] },
    }),
  },
  from: ({ now }, params) =>
    `(select o.*, ${spentSql('o.id', `${params.add(windowStart(now))}::timestamptz`)} as spent from voice_out_trunks o) t`,
  meta: { spent_amount: { type: 'decimal', column: 't.spent' } },
  filters: {
    id: anyId('t.id'),
    name: anyOf('t.name', { single: true }),
    name_contains: contains('t.name'),
    external_reference_id: anyOf('t.external_reference_id', { single: true }),
    status: anyOf('t.status', { single: true, enum: ['active', 'blocked'] }),
    on_cli_mismatch_action: anyOf('t.on_cli_mismatch_action', {
      single: true,
      enum: CLI_ACTIONS,
      features: { replace_cli: 'replace_cli', randomize_cli: 'randomize_cli' },
    }),
    allow_any_did_as_cli: flag('t.allow_any_did_as_cli'),
    threshold_reached: flag('t.threshold_reached'),
    default_dst_action: anyOf('t.default_dst_action', { single: true, enum: ['allow_all', 'reject_all'] }),
    media_encryption_mode: anyOf('t.media_encryption_mode', { single: true, enum: MEDIA_ENCRYPTION_MODES }),
    'authentication_method.type': anyOf('t.authentication_type'),
    'default_did.id': anyId('t.default_did_id', { single: true, namesA: 'dids' }),
  },
  sort: ['allow_any_did_as_cli', 'created_at', 'external_reference_id', 'name', 'threshold_reached'],
  tieBreak: 't.created_at, t.id',
  endpoints: { create: true, update: true, delete: true },
  guard: needsFeature('outbound'),
  create: createVoiceOutTrunk,
  update: updateVoiceOutTrunk,
  delete: deleteVoiceOutTrunk,
});
