import { text } from '../../jsonapi/attributes.ts';
import { toOne } from '../../jsonapi/declare.ts';
import { anyId, anyOf, contains, explained } from '../../jsonapi/filters.ts';
import { catalogue } from '../declare.ts';
import { groupUnderPrefixHasFeatures, groupUnderPrefixHasStock } from '../did-groups/availability.ts';

/** An NPA-NXX: the first six digits of numbers under country code 1. */
export const nanpaPrefixes = catalogue('nanpa_prefixes', {
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
    'did_group.is_available': groupUnderPrefixHasStock,
    'did_group.features': groupUnderPrefixHasFeatures,
  },
  sort: ['npa', 'nxx'],
  tieBreak: 't.npa, t.nxx',
});
