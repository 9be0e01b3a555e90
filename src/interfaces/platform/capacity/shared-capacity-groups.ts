/** Numbers that share channels of a pool. */

import { invalid, messages } from '../../../engines/jsonapi/errors.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { owned } from '../declare.ts';
import { ownedCounts } from '../owned-counts.ts';
import { notEnoughChannels } from '../refusals.ts';
import { sharedGroupMembers } from './shared-capacity-groups.members.ts';
import { createSharedGroup, deleteSharedGroup, updateSharedGroup } from './shared-capacity-groups.writes.ts';

export const sharedCapacityGroups = owned('shared_capacity_groups', {
  group: 'Capacity',
  noun: 'shared capacity group',
  summary: 'Numbers that share channels of a pool.',
  ...sharedGroupMembers,
  filters: {
    id: anyId('t.id'),
    name: anyOf('t.name', { blank: true }),
    'capacity_pool.id': anyId('t.capacity_pool_id', { blank: true }),
    external_reference_id: anyOf('t.external_reference_id', { single: true, blank: true }),
  },
  sort: ['created_at', 'external_reference_id', 'metered_channels_count', 'name', 'shared_channels_count'],
  tieBreak: 't.seq',
  counts: ownedCounts('shared_capacity_groups'),
  refusals: {
    shared_capacity_groups_name: invalid.attribute('name', messages.taken),
    shared_capacity_groups_not_empty: invalid.attribute('shared_channels_count', messages.shouldBeAtLeast(1)),
    capacity_pools_not_over_assigned: invalid.attribute('shared_channels_count', notEnoughChannels),
  },
  create: createSharedGroup,
  update: updateSharedGroup,
  delete: deleteSharedGroup,
});
