/** A state, province or other part of a country. */
import { text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { reference } from '../declare.ts';

export const regions = reference('regions', {
  group: 'Coverage',
  noun: 'region',
  summary: 'A state, province or other part of a country.',
  attributes: {
    name: text({ doc: 'The English name.' }),
    iso: text({ nullable: true, format: 'iso-3166-2', doc: 'The code of ISO 3166-2, where it has one.' }),
  },
  relationships: { country: toOne('countries', { doc: 'The country it is part of.' }) },
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
