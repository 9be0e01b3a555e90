/** Groups of numbers with the same prices and features; their types, features and offers. */
import { boolean, decimal, integer, list, text } from '../../../engines/jsonapi/attributes.ts';
import { toMany, toOne } from '../../../engines/jsonapi/declare.ts';
import {
  allOf,
  anyId,
  anyOf,
  atLeast,
  explained,
  type Filter,
  flag,
  reading,
} from '../../../engines/jsonapi/filters.ts';
import { catalogue, reference } from '../declare.ts';
import { groupsWithStock, stockColumn } from './availability.ts';

/** What the numbers of a group can do, with the texts of the API reference. */
export const featureTexts = {
  voice_in: 'Receives calls.',
  voice_out: 'May be presented as caller id.',
  t38: 'Receives faxes over T.38.',
  sms_in: 'Receives SMS.',
  p2p: 'Sends and receives SMS between persons.',
  a2p: 'Sends SMS from applications.',
  emergency: 'Can call emergency services.',
  cnam_out: 'Can present a caller name.',
};

const underPrefix =
  'exists (select from did_group_nanpa_prefixes l join nanpa_prefixes n on n.id = l.nanpa_prefix_id where l.did_group_id = t.id and';

/** Finds groups by the NPA-NXX under which they sell. */
const byPrefix = (filter: Filter): Filter => ({
  ...filter,
  reads: ['nanpa_prefixes'],
  where: (values, params, now) => `${underPrefix} ${filter.where(values, params, now)})`,
});

const orderableColumn = `(t.back_orderable or ${stockColumn} > 0)`;

export const didGroups = catalogue('did_groups', {
  group: 'DID groups',
  noun: 'DID group',
  summary: 'Numbers that share a price and a set of capabilities.',
  from: groupsWithStock,
  attributes: {
    prefix: text({ doc: 'The digits after the country code that its numbers begin with.' }),
    area_name: text({ doc: 'Where the prefix is used: a city, an area, a network.' }),
    features: list({ type: 'string', values: featureTexts }, { doc: 'What its numbers can do.' }),
    is_metered: boolean({ doc: 'Whether inbound calls are charged by the minute.' }),
    allow_additional_channels: boolean({ doc: 'Whether its numbers may use channels of pools.' }),
    service_restrictions: text({ nullable: true, doc: 'What must be known before buying.' }),
  },
  relationships: {
    country: toOne('countries', { doc: 'The country of its numbers.' }),
    city: toOne('cities', { nullable: true, doc: 'The city of its numbers.' }),
    region: toOne('regions', { nullable: true, doc: 'The region of its numbers.' }),
    did_group_type: toOne('did_group_types', { doc: 'What kind of numbers it holds.' }),
    stock_keeping_units: toMany('stock_keeping_units', {
      via: 'did_group_id',
      doc: 'The offers an order names: prices, by the channels included.',
    }),
    address_requirement: toOne('address_requirements', {
      nullable: true,
      doc: 'What has to be submitted before its numbers may be used.',
      column:
        '(select q.id from address_requirements q where q.country_id = t.country_id and q.did_group_type_id = t.did_group_type_id and t.needs_registration)',
    }),
  },
  meta: {
    available_dids_enabled: {
      type: 'boolean',
      doc: 'Whether single numbers can be picked.',
      column: 't.available_dids_enabled',
    },
    needs_registration: {
      type: 'boolean',
      doc: 'Whether its numbers need an approved address verification.',
      column: 't.needs_registration',
    },
    is_available: { type: 'boolean', doc: 'Whether it can be ordered now.', column: orderableColumn },
    total_count: { type: 'integer', doc: 'Numbers in stock.', column: stockColumn },
  },
  filters: {
    id: anyId('t.id'),
    'city.id': anyId('t.city_id', { blank: true }),
    'country.id': anyId('t.country_id', { blank: true }),
    'region.id': anyId('t.region_id', { blank: true }),
    'did_group_type.id': anyId('t.did_group_type_id', { blank: true }),
    prefix: anyOf('t.prefix', { blank: true }),
    area_name: anyOf('t.area_name', { caseInsensitive: true, blank: true }),
    features: allOf('t.features', featureTexts),
    is_metered: flag('t.is_metered'),
    allow_additional_channels: flag('t.allow_additional_channels'),
    available_dids_enabled: explained('Whether single numbers can be picked.', flag('t.available_dids_enabled')),
    needs_registration: explained('Whether its numbers need an approval.', flag('t.needs_registration')),
    is_available: explained('Whether it can be ordered now.', flag(orderableColumn)),
    'meta.total_count_gteq': explained('Numbers in stock.', reading([], atLeast(stockColumn))),
    'nanpa_prefix.id': explained('A prefix it sells under.', byPrefix(anyId('n.id', { single: true }))),
    'nanpa_prefix.npanxx': explained(
      'The six digits of a prefix it sells under.',
      byPrefix(anyOf('(n.npa || n.nxx)', { blank: true })),
    ),
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

export const didGroupTypes = reference('did_group_types', {
  group: 'DID groups',
  noun: 'DID group type',
  summary: 'What kind of numbers a group holds: Local, National, Mobile, Toll-free, Shared Cost or Global.',
  attributes: { name: text({ doc: 'The name of the kind.' }) },
  filters: { id: anyId('t.id'), name: anyOf('t.name') },
  sort: ['name'],
  defaultSort: 'name',
});

/** Has no endpoint of its own; a group includes its offers. */
export const stockKeepingUnits = reference('stock_keeping_units', {
  group: 'DID groups',
  noun: 'SKU',
  summary: 'An offer of a group: what it costs with so many channels included. Prices are without VAT.',
  attributes: {
    setup_price: decimal({ doc: 'Charged once for each number.' }),
    monthly_price: decimal({ doc: 'Charged for each number and month.' }),
    channels_included_count: integer({ min: 0, doc: 'Simultaneous calls that are included.' }),
  },
  path: null,
  // The prices that this customer pays.
  variant: ({ caller }) => caller?.accountId ?? '',
  from: ({ caller }, params) => {
    const account = `${params.add(caller?.accountId ?? null)}::uuid`;
    return `(select s.id, s.did_group_id, s.channels_included_count,
        adjusted_price(${account}, 'number_setup', s.setup_price) as setup_price,
        adjusted_price(${account}, 'number_monthly', s.monthly_price) as monthly_price
      from stock_keeping_units s) t`;
  },
  tieBreak: 't.channels_included_count, t.id',
  paginated: false,
  endpoints: { list: false, read: false },
  relationshipEndpoints: false,
});
