/** Where inbound calls go: a SIP host, equipment that registers, or a telephone number. */

import { invalid } from '../../../engines/jsonapi/errors.ts';
import { anyId, anyOf, explained, reading } from '../../../engines/jsonapi/filters.ts';
import { owned } from '../declare.ts';
import { byCreation, ownedCounts } from '../owned-counts.ts';
import { takenNames } from './voice-in-trunk-groups.ts';
import { voiceInTrunkMembers } from './voice-in-trunks.members.ts';
import { createVoiceInTrunk, deleteVoiceInTrunk, updateVoiceInTrunk } from './voice-in-trunks.writes.ts';

export const voiceInTrunks = owned('voice_in_trunks', {
  group: 'Inbound trunks',
  noun: 'inbound trunk',
  summary: 'Where inbound calls go: a SIP host, equipment that registers, or a telephone number.',
  ...voiceInTrunkMembers,
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
