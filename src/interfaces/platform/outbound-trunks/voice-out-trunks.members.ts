/** The attributes and relationships of outbound trunks: what a request may send of one is derived from here. */
import { boolean, decimal, integer, list, text } from '../../../engines/jsonapi/attributes.ts';
import { toMany, toOne } from '../../../engines/jsonapi/declare.ts';
import { capacityLimit, createdAt, externalReferenceId } from '../common-attributes.ts';
import { mediaDocs, mediaEncryptionModes } from '../inbound-trunks/sip-values.ts';
import { onOneLine } from '../one-line.ts';
import { authenticationMethod } from './authentication.ts';

export const cliActions = {
  reject_call: 'The call is refused.',
  send_original_cli: 'The number is presented as it is.',
  replace_cli: 'The default number is presented.',
  randomize_cli: 'One of the numbers of the trunk is presented.',
};

export const cliFeatures = { replace_cli: 'replace_cli', randomize_cli: 'randomize_cli' };

export const trunkStatuses = { active: 'Calls are accepted.', blocked: 'Calls are refused.' };

const addresses = { type: 'string', format: 'ip-or-subnet' } as const;

const linked = (table: string) => ({ through: { table, from: 'voice_out_trunk_id', to: 'did_id' } });

export const destinationRules = {
  allow_all: 'Every destination but those in `dst_prefixes`.',
  reject_all: 'Only destinations in `dst_prefixes`.',
};

export const voiceOutTrunkMembers = {
  attributes: onOneLine({
    name: text({ write: 'both', required: true, doc: 'Used once among outbound trunks.' }),
    status: {
      ...text({ write: 'both', values: trunkStatuses, default: 'active', doc: 'Your own switch.' }),
      accept: (sent) => sent ?? 'active',
    },
    external_reference_id: externalReferenceId,
    capacity_limit: capacityLimit,
    allow_any_did_as_cli: boolean({
      write: 'both',
      default: false,
      doc: 'Whether every number of the account may be presented.',
    }),
    on_cli_mismatch_action: text({
      write: 'both',
      required: true,
      values: cliActions,
      features: cliFeatures,
      doc: 'What happens when a call presents another number.',
    }),
    default_dst_action: text({
      write: 'both',
      values: destinationRules,
      default: 'allow_all',
      doc: 'Which destinations may be called.',
    }),
    dst_prefixes: list(
      { type: 'string', pattern: '^[0-9]+$' },
      { write: 'both', default: [], doc: 'Beginnings of numbers that are the exception to it.' },
    ),
    media_encryption_mode: text({
      write: 'both',
      values: mediaEncryptionModes,
      default: 'disabled',
      doc: mediaDocs.encryption,
    }),
    allowed_rtp_ips: list(addresses, {
      nullable: true,
      write: 'both',
      maxItems: 60,
      uniqueItems: true,
      doc: mediaDocs.allowedAddresses,
    }),
    force_symmetric_rtp: boolean({
      write: 'both',
      default: false,
      doc: mediaDocs.symmetric,
    }),
    rtp_ping: boolean({
      write: 'both',
      default: false,
      doc: mediaDocs.ping,
    }),
    rtp_timeout: integer({
      write: 'both',
      min: 30,
      max: 600,
      default: 30,
      doc: mediaDocs.timeout,
    }),
    threshold_amount: decimal({
      write: 'both',
      min: 0,
      max: 100_000,
      default: '3000.0',
      doc: 'What may be spent in 24 hours before calls are refused.',
    }),
    callback_url: text({
      nullable: true,
      write: 'both',
      format: 'uri',
      doc: 'Where blocking and unblocking are reported.',
    }),
    emergency_enable_all: boolean({
      write: 'both',
      default: false,
      doc: 'Whether every emergency number of the account may call emergency services here.',
    }),
    created_at: createdAt,
    threshold_reached: boolean({ default: false, doc: 'Whether the threshold is spent.' }),
    authentication_method: authenticationMethod,
  }),
  relationships: {
    dids: toMany('dids', {
      doc: 'The numbers it may present.',
      write: 'both',
      unique: true,
      forbiddenIf: { allow_any_did_as_cli: true },
      ...linked('voice_out_trunk_dids'),
    }),
    emergency_dids: toMany('dids', {
      noun: 'emergency numbers',
      doc: 'The numbers it may call emergency services with.',
      write: 'both',
      unique: true,
      forbiddenIf: { emergency_enable_all: true },
      ...linked('voice_out_trunk_emergency_links'),
    }),
    default_did: toOne('dids', {
      noun: 'default number',
      doc: 'The number that is presented instead of one that may not be.',
      nullable: true,
      write: 'both',
      feature: 'replace_cli',
      requiredIf: { on_cli_mismatch_action: 'replace_cli' },
      forbiddenIf: { on_cli_mismatch_action: ['reject_call', 'send_original_cli', 'randomize_cli'] },
    }),
  },
};
