import { boolean, list, text } from '../../jsonapi/attributes.ts';
import { toMany, toOne } from '../../jsonapi/declare.ts';
import { allOf, anyId, anyOf, atLeast, type Filter, flag } from '../../jsonapi/filters.ts';
import { catalogue } from '../declare.ts';
import { orderable, stockOf } from './availability.ts';
import { FEATURES } from './features.ts';

const underPrefix =
  'exists (select from did_group_nanpa_prefixes l join nanpa_prefixes n on n.id = l.nanpa_prefix_id where l.did_group_id = t.id and';

/** Looks a group up by the NPA-NXX it sells under. */
const byPrefix = (filter: Filter): Filter => ({
  ...filter,
  where: (values, params) => `${underPrefix} ${filter.where(values, params)})`,
});

/** Numbers that share a price and a set of capabilities. */
export const didGroups = catalogue('did_groups', {
  group: 'DID groups',
  summary: 'Numbers that share a price and a set of capabilities.',
  attributes: {
    prefix: text(),
    area_name: text(),
    features: list({ type: 'string', enum: FEATURES }),
    is_metered: boolean(),
    allow_additional_channels: boolean(),
    service_restrictions: text({ nullable: true }),
  },
  relationships: {
    country: toOne('countries'),
    city: toOne('cities', { nullable: true }),
    region: toOne('regions', { nullable: true }),
    did_group_type: toOne('did_group_types'),
    stock_keeping_units: toMany('stock_keeping_units', { via: 'did_group_id' }),
    address_requirement: toOne('address_requirements', {
      nullable: true,
      column:
        '(select q.id from address_requirements q where q.country_id = t.country_id and q.did_group_type_id = t.did_group_type_id and t.needs_registration)',
      formerNames: ['requirement'],
    }),
  },
  meta: {
    available_dids_enabled: { type: 'boolean', column: 't.available_dids_enabled' },
    needs_registration: { type: 'boolean', column: 't.needs_registration' },
    is_available: { type: 'boolean', column: orderable('t') },
    total_count: { type: 'integer', column: stockOf('t.id') },
  },
  filters: {
    id: anyId('t.id'),
    'city.id': anyId('t.city_id', { blank: true }),
    'country.id': anyId('t.country_id', { blank: true }),
    'region.id': anyId('t.region_id', { blank: true }),
    'did_group_type.id': anyId('t.did_group_type_id', { blank: true }),
    prefix: anyOf('t.prefix', { blank: true }),
    area_name: anyOf('t.area_name', { caseInsensitive: true, blank: true }),
    features: allOf('t.features', FEATURES),
    is_metered: flag('t.is_metered'),
    allow_additional_channels: flag('t.allow_additional_channels'),
    available_dids_enabled: flag('t.available_dids_enabled'),
    needs_registration: flag('t.needs_registration'),
    is_available: flag(orderable('t')),
    'meta.total_count_gteq': atLeast(stockOf('t.id')),
    'nanpa_prefix.id': byPrefix(anyId('n.id', { single: true })),
    'nanpa_prefix.npanxx': byPrefix(anyOf('(n.npa || n.nxx)', { blank: true })),
  },
  sort: {
    allow_additional_channels: 't.allow_additional_channels',
    area_name: 't.area_name',
    'country.name': '(select c.name from countries c where c.id = t.country_id)',
    'did_group_type.name': '(select y.name from did_group_types y where y.id = t.did_group_type_id)',
    is_metered: 't.is_metered',
    prefix: 't.prefix',
    service_restrictions: 't.service_restrictions',
  },
});
