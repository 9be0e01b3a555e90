/** A part of a country with one number prefix, larger than a city. */
import { text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { longPage, reference } from '../declare.ts';

export const areas = reference('areas', {
  group: 'Coverage',
  noun: 'area',
  summary: "A part of a country that a number's prefix covers, wider than a city.",
  attributes: { name: text({ doc: 'The English name.' }) },
  relationships: { country: toOne('countries', { doc: 'The country it is in.' }) },
  filters: {
    id: anyId('t.id'),
    name: anyOf('t.name', { caseInsensitive: true, blank: true }),
    'country.id': anyId('t.country_id', { blank: true }),
  },
  sort: ['name'],
  defaultSort: 'name',
  maxPageSize: longPage,
});
