import { date, decimal, integer, text } from '../../jsonapi/attributes.ts';
import { toMany } from '../../jsonapi/declare.ts';
import { anyId, anyOf, type Filter, flag } from '../../jsonapi/filters.ts';
import { owned } from '../declare.ts';
import { lowerTotal } from './lower-total.ts';

/** The pool must cover every listed country. */
const allCountries: Filter = {
  ...anyId(''),
  facts: { match: 'all', list: true },
  where: (values, params) =>
    `(select count(*) from capacity_pool_countries c where c.capacity_pool_id = t.id
      and c.country_id = any(${params.add(values)}::uuid[])) = ${params.add(new Set(values).size)}`,
};

/** Channels that numbers draw on. Every account has one pool of each kind the operator sells. */
export const capacityPools = owned('capacity_pools', {
  group: 'Capacity',
  summary: 'A pool of channels that numbers draw on.',
  table: 'capacity_pools_seen',
  attributes: {
    name: text(),
    renew_date: date(),
    total_channels_count: integer({ min: 0, write: 'update' }),
    assigned_channels_count: integer({ min: 0 }),
    minimum_limit: integer({ min: 0 }),
    minimum_qty_per_order: integer({ min: 0 }),
    setup_price: decimal(),
    monthly_price: decimal(),
    metered_rate: decimal(),
  },
  relationships: {
    countries: toMany('countries', {
      through: { table: 'capacity_pool_countries', from: 'capacity_pool_id', to: 'country_id' },
    }),
    shared_capacity_groups: toMany('shared_capacity_groups', { via: 'capacity_pool_id' }),
    qty_based_pricings: toMany('qty_based_pricings', { via: 'capacity_pool_id' }),
  },
  filters: {
    id: anyId('t.id'),
    name: anyOf('t.name', { single: true }),
    'country.id': allCountries,
    has_unassigned_channels: flag('t.total_channels_count > t.assigned_channels_count'),
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
  tieBreak: 't.name, t.id',
  endpoints: { update: true },
  update: lowerTotal,
});
