/** A number owned by the account. */

import { invalid } from '../../../engines/jsonapi/errors.ts';
import {
  allOf,
  anyId,
  anyInteger,
  anyOf,
  contains,
  explained,
  type Filter,
  flag,
  inRow,
} from '../../../engines/jsonapi/filters.ts';
import { owned } from '../declare.ts';
import { featureTexts } from '../did-groups/did-groups.ts';
import { ownedCounts } from '../owned-counts.ts';
import { notEnoughChannels } from '../refusals.ts';
import { blockedSql, didMembers } from './dids.members.ts';
import { updateDid } from './dids.writes.ts';

const inGroup = (filter: Filter) => inRow('did_groups', 't.did_group_id', filter);

/** The counts of all groups of a place. */
const groupsIn = (column: string) => (ids: string) =>
  `array(select 'did_group.id=' || g.id from did_groups g where g.${column} = any(${ids}::uuid[]))`;

export const dids = owned('dids', {
  group: 'DIDs',
  noun: 'number',
  summary: 'A number owned by the account, and how it is routed.',
  ...didMembers,
  filters: {
    id: anyId('t.id'),
    number: anyOf('t.number', { blank: true }),
    'order.id': anyId('t.order_id', { blank: true }),
    'order.reference': explained('The reference of its order.', inRow('orders', 't.order_id', anyOf('r.reference'))),
    'did_group.id': anyId('t.did_group_id', { blank: true }),
    'region.id': explained('The region of its group.', inGroup(anyId('r.region_id', { blank: true }))),
    'city.id': explained('The city of its group.', inGroup(anyId('r.city_id', { blank: true }))),
    'capacity_pool.id': anyId('t.capacity_pool_id', { blank: true }),
    'shared_capacity_group.id': anyId('t.shared_capacity_group_id', { blank: true }),
    'address_verification.id': anyId('t.address_verification_id', { blank: true }),
    'emergency_calling_service.id': anyId('t.emergency_calling_service_id'),
    'voice_in_trunk.id': anyId('t.voice_in_trunk_id', { blank: true }),
    'voice_in_trunk_group.id': anyId('t.voice_in_trunk_group_id', { blank: true }),
    'trunk.id': anyId('t.voice_in_trunk_id', { blank: true, aliasOf: 'voice_in_trunk.id' }),
    'trunk_group.id': anyId('t.voice_in_trunk_group_id', { blank: true, aliasOf: 'voice_in_trunk_group.id' }),
    'country.id': explained('The country of its group.', inGroup(anyId('r.country_id', { blank: true }))),
    billing_cycles_count: anyInteger('t.billing_cycles_count', { blank: true }),
    pending_removal: explained('Whether it ends with its period.', flag('t.billing_cycles_count = 0')),
    description: contains('t.description', { blank: true }),
    'did_group.features': explained('What the number can do.', inGroup(allOf('r.features', featureTexts))),
    awaiting_registration: flag('t.awaiting_registration'),
    blocked: flag(blockedSql),
    terminated: flag('t.terminated'),
    emergency_enabled: flag('t.emergency_enabled'),
  },
  sort: [
    'awaiting_registration',
    'billing_cycles_count',
    'blocked',
    'capacity_limit',
    'channels_included_count',
    'created_at',
    'dedicated_channels_count',
    'description',
    'expires_at',
    'number',
    'terminated',
  ],
  defaultSort: 'number',
  counts: ownedCounts('dids', {
    filters: [
      'blocked',
      'awaiting_registration',
      'terminated',
      'emergency_enabled',
      'did_group.id',
      'voice_in_trunk.id',
      'voice_in_trunk_group.id',
      'capacity_pool.id',
      'shared_capacity_group.id',
    ],
    partsOf: {
      'country.id': groupsIn('country_id'),
      'region.id': groupsIn('region_id'),
      'city.id': groupsIn('city_id'),
    },
    ranges: { sort: { column: 't.number', descending: false }, from: (range) => `t.number >= ${range}` },
  }),
  // Numbers reserved for a pending order are not visible yet.
  visible: () => 't.activated_at is not null',
  refusals: { capacity_pools_not_over_assigned: invalid.attribute('dedicated_channels_count', notEnoughChannels) },
  update: updateDid,
});
