import { dateTime, integer, text } from '../../jsonapi/attributes.ts';
import { toMany, toOne } from '../../jsonapi/declare.ts';
import { anyId, anyOf } from '../../jsonapi/filters.ts';
import { owned } from '../declare.ts';
import { createSharedGroup } from './create-shared-group.ts';
import { deleteSharedGroup } from './delete-shared-group.ts';
import { updateSharedGroup } from './update-shared-group.ts';

/** Numbers that share channels of a pool. */
export const sharedCapacityGroups = owned('shared_capacity_groups', {
  group: 'Capacity',
  summary: 'Numbers that share channels of a pool.',
  attributes: {
    name: text({ write: 'both', required: true }),
    shared_channels_count: integer({ min: 0, write: 'both' }),
    metered_channels_count: integer({ min: 0, max: 1000, default: 0, write: 'both' }),
    external_reference_id: text({ nullable: true, maxLength: 100, write: 'both' }),
    created_at: dateTime(),
  },
  relationships: {
    capacity_pool: toOne('capacity_pools', { write: 'both', required: true }),
    dids: toMany('dids', { via: 'shared_capacity_group_id', write: 'both' }),
  },
  filters: {
    id: anyId('t.id'),
    name: anyOf('t.name', { blank: true }),
    'capacity_pool.id': anyId('t.capacity_pool_id', { blank: true }),
    external_reference_id: anyOf('t.external_reference_id', { single: true, blank: true }),
  },
  sort: ['created_at', 'external_reference_id', 'metered_channels_count', 'name', 'shared_channels_count'],
  tieBreak: 't.seq',
  endpoints: { create: true, update: true, delete: true },
  create: createSharedGroup,
  update: updateSharedGroup,
  delete: deleteSharedGroup,
});
