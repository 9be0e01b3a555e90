import { dateTime, integer, object, text } from '../../jsonapi/attributes.ts';
import { toOne } from '../../jsonapi/declare.ts';
import { anyId, anyOf } from '../../jsonapi/filters.ts';
import { owned } from '../declare.ts';
import { createVoiceInTrunk } from './create-voice-in-trunk.ts';
import { deleteVoiceInTrunk } from './delete-voice-in-trunk.ts';
import { configurations } from './sip-configuration.ts';
import { updateVoiceInTrunk } from './update-voice-in-trunk.ts';

/** Where inbound calls go: a SIP host, equipment that registers, or a telephone number. */
export const voiceInTrunks = owned('voice_in_trunks', {
  group: 'Inbound trunks',
  summary: 'Where inbound calls go: a SIP host, equipment that registers, or a telephone number.',
  attributes: {
    name: text({ write: 'both', required: true }),
    description: text({ nullable: true, write: 'both' }),
    external_reference_id: text({ nullable: true, write: 'both', maxLength: 100 }),
    priority: integer({ write: 'both', min: 0, max: 65_535, default: 1 }),
    weight: integer({ write: 'both', min: 0, max: 65_535, default: 65_535 }),
    capacity_limit: integer({ nullable: true, write: 'both', min: 1, max: 32_767 }),
    cli_format: text({ nullable: true, write: 'both', enum: ['e164', 'local', 'raw'], default: 'e164' }),
    cli_prefix: text({ nullable: true, write: 'both', maxLength: 7, pattern: '^[A-Za-z0-9+#]*$' }),
    ringing_timeout: integer({ nullable: true, write: 'both', min: 1, max: 32 }),
    created_at: dateTime(),
    configuration: object(configurations, {
      write: 'both',
      required: true,
      patch: 'merge',
      column: "json_build_object('type', t.configuration_type, 'attributes', t.configuration)",
    }),
  },
  relationships: {
    voice_in_trunk_group: toOne('voice_in_trunk_groups', { nullable: true, write: 'both' }),
    pop: toOne('pops', { nullable: true, write: 'both' }),
  },
  filters: {
    id: anyId('t.id'),
    name: anyOf('t.name'),
    'configuration.type': anyOf('t.configuration_type'),
    external_reference_id: anyOf('t.external_reference_id', { single: true }),
  },
  sort: [
    ...['capacity_limit', 'cli_format', 'cli_prefix', 'created_at', 'description'],
    ...['external_reference_id', 'name', 'priority', 'ringing_timeout', 'weight'],
  ],
  tieBreak: 't.created_at, t.id',
  endpoints: { create: true, update: true, delete: true },
  create: createVoiceInTrunk,
  update: updateVoiceInTrunk,
  delete: deleteVoiceInTrunk,
});
