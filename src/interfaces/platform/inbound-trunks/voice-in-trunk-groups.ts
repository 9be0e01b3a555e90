/** `voice_in_trunk_groups`: trunks that are tried one after another, by priority and weight. */

import { invalid, messages } from '../../../engines/jsonapi/errors.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { owned } from '../declare.ts';
import { byCreation, ownedCounts } from '../owned-counts.ts';
import { trunkGroupMembers } from './voice-in-trunk-groups.members.ts';
import { createGroup, deleteGroup, updateGroup } from './voice-in-trunk-groups.writes.ts';

/** A name is used once among an account's trunks and groups; the database checks this. */
export const takenNames = { voice_in_names_taken: invalid.attribute('name', messages.taken) };

export const voiceInTrunkGroups = owned('voice_in_trunk_groups', {
  group: 'Inbound trunks',
  noun: 'inbound trunk group',
  summary: 'Trunks that are tried one after another, by priority and weight.',
  ...trunkGroupMembers,
  meta: {
    trunks_count: {
      type: 'integer',
      doc: 'How many trunks it has.',
      column: '(select count(*)::int from voice_in_trunks m where m.voice_in_trunk_group_id = t.id)',
    },
  },
  filters: {
    id: anyId('t.id'),
    external_reference_id: anyOf('t.external_reference_id', { single: true }),
  },
  sort: ['capacity_limit', 'created_at', 'external_reference_id', 'name'],
  tieBreak: 't.created_at, t.id',
  counts: ownedCounts('voice_in_trunk_groups', { ranges: byCreation }),
  refusals: {
    ...takenNames,
    dids_voice_in_trunk_group: invalid.base('The trunk group cannot be removed while numbers are routed to it'),
    dids_voice_in_trunk: invalid.base(
      'The trunk group cannot be removed while numbers are routed to one of its trunks',
    ),
  },
  create: createGroup,
  update: updateGroup,
  delete: deleteGroup,
});
