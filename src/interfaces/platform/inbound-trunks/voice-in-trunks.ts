/** Where inbound calls go: a SIP host, equipment that registers, or a telephone number. */
import { freeText, integer, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { invalid } from '../../../engines/jsonapi/errors.ts';
import { anyId, anyOf, explained, reading } from '../../../engines/jsonapi/filters.ts';
import { capacityLimit, createdAt, externalReferenceId } from '../common-attributes.ts';
import { owned } from '../declare.ts';
import { onOneLine } from '../one-line.ts';
import { byCreation, ownedCounts } from '../owned-counts.ts';
import { configuration } from './configuration-rules.ts';
import { takenNames } from './voice-in-trunk-groups.ts';
import { createVoiceInTrunk, deleteVoiceInTrunk, updateVoiceInTrunk } from './voice-in-trunks.writes.ts';

const cliFormats = {
  e164: 'With the country code, without `+`.',
  local: 'As dialled inside the country.',
  raw: 'As it came.',
};

export const voiceInTrunks = owned('voice_in_trunks', {
  group: 'Inbound trunks',
  noun: 'inbound trunk',
  summary: 'Where inbound calls go: a SIP host, equipment that registers, or a telephone number.',
  attributes: onOneLine({
    name: text({ write: 'both', required: true, doc: 'Used once among trunks and trunk groups.' }),
    description: freeText({ nullable: true, write: 'both', doc: 'Your own note.' }),
    external_reference_id: externalReferenceId,
    priority: integer({
      write: 'both',
      min: 0,
      max: 65_535,
      default: 1,
      doc: 'In a group, the lowest is tried first.',
    }),
    weight: integer({
      write: 'both',
      min: 0,
      max: 65_535,
      default: 65_535,
      doc: 'Its share of calls among trunks of the same priority.',
    }),
    capacity_limit: capacityLimit,
    cli_format: text({
      nullable: true,
      write: 'both',
      values: cliFormats,
      default: 'e164',
      doc: 'How the number of the caller is shown to you.',
    }),
    cli_prefix: text({
      nullable: true,
      write: 'both',
      maxLength: 7,
      pattern: '^[A-Za-z0-9+#]*$',
      doc: 'Put before the number of the caller, such as `+`.',
    }),
    ringing_timeout: integer({
      nullable: true,
      write: 'both',
      min: 1,
      max: 32,
      doc: 'Seconds it may ring before the call goes on or ends; null takes the platform’s.',
    }),
    created_at: createdAt,
    configuration,
  }),
  relationships: {
    voice_in_trunk_group: toOne('voice_in_trunk_groups', {
      nullable: true,
      write: 'both',
      doc: 'The group it is tried in.',
    }),
    pop: toOne('pops', { nullable: true, write: 'both', doc: 'The point of presence its calls are sent from.' }),
  },
  filters: {
    id: anyId('t.id'),
    name: anyOf('t.name'),
    'configuration.type': explained('The type of its configuration.', reading([], anyOf('t.configuration_type'))),
    external_reference_id: anyOf('t.external_reference_id', { single: true }),
  },
  sort: [
    ...['capacity_limit', 'cli_format', 'cli_prefix', 'created_at', 'description'],
    ...['external_reference_id', 'name', 'priority', 'ringing_timeout', 'weight'],
  ],
  tieBreak: 't.created_at, t.id',
  counts: ownedCounts('voice_in_trunks', { ranges: byCreation }),
  refusals: {
    ...takenNames,
    dids_voice_in_trunk: invalid.base('The trunk cannot be removed while numbers are routed to it'),
  },
  create: createVoiceInTrunk,
  update: updateVoiceInTrunk,
  delete: deleteVoiceInTrunk,
});
