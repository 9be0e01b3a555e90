/** An NPA-NXX: the first six digits of numbers under country code 1. */
import { text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { allOf, anyId, anyOf, contains, explained, type Filter, flag } from '../../../engines/jsonapi/filters.ts';
import { reference } from '../declare.ts';
import { featureTexts } from '../did-groups/did-groups.ts';

const groupsUnderPrefix = `select from did_group_nanpa_prefixes l join did_groups g on g.id = l.did_group_id
  where l.nanpa_prefix_id = t.id`;

/** Whether a group under the NPA-NXX has numbers of that prefix in stock. */
const hasStock: Filter = {
  ...flag(
    (params, now) => `exists (${groupsUnderPrefix} and exists (select from stock_blocks b
     where b.did_group_id = g.id and b.nanpa_prefix_id = t.id
       and b.available > (select count(*) from did_reservations r where r.did_group_id = b.did_group_id
         and left(r.number, -3) = b.base and r.expires_at > ${params.add(now)})))`,
  ),
  doc: 'Whether numbers under the prefix are in stock.',
  live: true,
  reads: ['did_groups'],
};

/** Whether one group under the NPA-NXX has all the features. */
const hasFeatures: Filter = {
  ...allOf('g.features', featureTexts),
  reads: ['did_groups'],
  doc: 'Features that one group under the prefix offers together.',
  where: (values, params) => `exists (${groupsUnderPrefix} and g.features @> ${params.add(values)}::text[])`,
};

export const nanpaPrefixes = reference('nanpa_prefixes', {
  group: 'Coverage',
  noun: 'NANPA prefix',
  summary: 'An NPA-NXX: the first six digits of numbers under country code 1.',
  attributes: {
    npa: text({ pattern: '^[2-9]\\d\\d$', doc: 'The area code.' }),
    nxx: text({ pattern: '^(?!\\d11$)[2-9]\\d{2}$', doc: 'The exchange: the three digits after the area code.' }),
  },
  relationships: {
    country: toOne('countries', { doc: 'The country it is used in.' }),
    region: toOne('regions', { nullable: true, doc: 'The state or province it is used in.' }),
  },
  filters: {
    id: anyId('t.id'),
    npa: anyOf('t.npa', { blank: true }),
    nxx: anyOf('t.nxx', { blank: true }),
    'country.id': anyId('t.country_id', { blank: true }),
    'region.id': anyId('t.region_id', { blank: true }),
    npanxx: explained('Digits of area code and exchange together.', contains('(t.npa || t.nxx)')),
    'did_group.is_available': hasStock,
    'did_group.features': hasFeatures,
  },
  sort: ['npa', 'nxx'],
  tieBreak: 't.npa, t.nxx',
});
