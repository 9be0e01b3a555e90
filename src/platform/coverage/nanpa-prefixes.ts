import { text } from '../../jsonapi/attributes.ts';
import { toOne } from '../../jsonapi/declare.ts';
import { anyId, anyOf, contains } from '../../jsonapi/filters.ts';
import { catalogue } from '../declare.ts';
import { groupUnderPrefixHasFeatures, groupUnderPrefixHasStock } from '../did-groups/availability.ts';

/** An NPA-NXX: the first six digits of numbers under country code 1. */
export const nanpaPrefixes = catalogue('nanpa_prefixes', {
  group: 'Coverage',
  summary: 'An NPA-NXX: the first six digits of numbers under country code 1.',
  attributes: {
    npa: text({ pattern: '^[2-9]\\d\\d$' }),
    nxx: text({ pattern: '^(?!\\d11$)[2-9]\\d{2}$' }),
  },
  relationships: {
    country: toOne('countries'),
    region: toOne('regions', { nullable: true }),
  },
  filters: {
    id: anyId('t.id'),
    npa: anyOf('t.npa', { blank: true }),
    nxx: anyOf('t.nxx', { blank: true }),
    'country.id': anyId('t.country_id', { blank: true }),
    'region.id': anyId('t.region_id', { blank: true }),
    npanxx: contains('(t.npa || t.nxx)'),
    'did_group.is_available': groupUnderPrefixHasStock,
    'did_group.features': groupUnderPrefixHasFeatures,
  },
  sort: ['npa', 'nxx'],
  tieBreak: 't.npa, t.nxx',
});
