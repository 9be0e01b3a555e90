/** Channels that numbers can use, and their prices. Every account has one pool of each kind that the operator sells. */

import { decimal, integer } from '../../../engines/jsonapi/attributes.ts';
import { anyId, anyOf, explained, type Filter, flag } from '../../../engines/jsonapi/filters.ts';
import { owned } from '../declare.ts';
import { capacityPoolMembers } from './capacity-pools.members.ts';
import { lowerTotal } from './capacity-pools.writes.ts';

/** The pool must cover every listed country. */
const allCountries: Filter = {
  ...anyId(''),
  reads: ['countries'],
  facts: { match: 'all', list: true },
  doc: 'Countries that the pool covers together.',
  where: (values, params) =>
    `(select count(*) from capacity_pool_countries c where c.capacity_pool_id = t.id
      and c.country_id = any(${params.add(values)}::uuid[])) = ${params.add(new Set(values).size)}`,
};

export const capacityPools = owned('capacity_pools', {
  group: 'Capacity',
  noun: 'capacity pool',
  summary: 'A pool of channels that numbers draw on.',
  table: 'capacity_pools_seen',
  ...capacityPoolMembers,
  filters: {
    id: anyId('t.id'),
    name: anyOf('t.name', { single: true }),
    'country.id': allCountries,
    has_unassigned_channels: explained(
      'Whether channels are left to assign.',
      flag('t.total_channels_count > t.assigned_channels_count'),
    ),
  },
  sort: [
    'name',
    'renew_date',
    'total_channels_count',
    'assigned_channels_count',
    'minimum_limit',
    'minimum_qty_per_order',
    'setup_price',
    'monthly_price',
    'metered_rate',
  ],
  // The cheapest first: Standard before Extended, as in the recorded responses.
  tieBreak: 't.monthly_price, t.name, t.id',
  update: lowerTotal,
});

/** Has no endpoint of its own; a pool includes its prices. */
export const qtyBasedPricings = owned('qty_based_pricings', {
  group: 'Capacity',
  noun: 'quantity price',
  summary: 'What a channel costs from so many channels on.',
  path: null,
  paginated: false,
  attributes: {
    qty: integer({ min: 1, doc: 'The number of channels from which these prices hold.' }),
    setup_price: decimal({ doc: 'Charged once for each channel.' }),
    monthly_price: decimal({ doc: 'Charged for each channel and month.' }),
  },
  tieBreak: 't.qty, t.id',
  relationshipEndpoints: false,
  endpoints: { list: false, read: false },
});
