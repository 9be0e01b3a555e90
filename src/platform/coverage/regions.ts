import { text } from '../../jsonapi/attributes.ts';
import { toOne } from '../../jsonapi/declare.ts';
import { anyId, anyOf } from '../../jsonapi/filters.ts';
import { catalogue } from '../declare.ts';

/** A state, province or other part of a country. */
export const regions = catalogue('regions', {
  group: 'Coverage',
  summary: 'A state, province or other part of a country.',
  attributes: {
    name: text(),
    iso: text({ nullable: true, format: 'iso-3166-2' }),
  },
  relationships: { country: toOne('countries') },
  filters: {
    id: anyId('t.id'),
    name: anyOf('t.name', { caseInsensitive: true, blank: true }),
    iso: anyOf('t.iso'),
    'country.id': anyId('t.country_id', { blank: true }),
  },
  sort: ['iso', 'name'],
  defaultSort: 'name',
  paginated: false,
});
