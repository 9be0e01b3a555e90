/** Numbers that share channels of a pool. */
import { integer, text } from '../../jsonapi/attributes.ts';
import { toMany, toOne } from '../../jsonapi/declare.ts';
import { invalid, messages } from '../../jsonapi/errors.ts';
import { anyId, anyOf } from '../../jsonapi/filters.ts';
import { createdAt, externalReferenceId } from '../common-attributes.ts';
import { owned } from '../declare.ts';
import { ownedCounts } from '../owned-counts.ts';
import { notEnoughChannels } from '../refusals.ts';
import { createSharedGroup, deleteSharedGroup, updateSharedGroup } from './shared-capacity-groups.writes.ts';

export const sharedCapacityGroups = owned('shared_capacity_groups', {
  group: 'Capacity',
  noun: 'shared capacity group',
  summary: 'Numbers that share channels of a pool.',
  attributes: {
    name: text({ write: 'both', required: true, doc: 'A name of your choice, used once in the account.' }),
    shared_channels_count: integer({ min: 0, write: 'both', doc: 'Channels of the pool that its numbers share.' }),
    metered_channels_count: integer({
      min: 0,
      max: 1000,
      default: 0,
      write: 'both',
      doc: 'Further calls at a time, charged by the minute.',
    }),
    external_reference_id: externalReferenceId,
    created_at: createdAt,
  },
  relationships: {
    capacity_pool: toOne('capacity_pools', { write: 'both', required: true, doc: 'The pool its channels come from.' }),
    dids: toMany('dids', {
      via: 'shared_capacity_group_id',
      write: 'both',
      unique: true,
      doc: 'The numbers that share them.',
    }),
  },
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
