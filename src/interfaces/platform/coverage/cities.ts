/** A city where numbers are sold. */
import { text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { longPage, reference } from '../declare.ts';
import { sellsSomethingIn } from '../did-groups/availability.ts';

export const cities = reference('cities', {
  group: 'Coverage',
  noun: 'city',
  summary: 'A city in coverage.',
  attributes: { name: text({ doc: 'The English name.' }) },
  relationships: {
    country: toOne('countries', { doc: 'The country it is in.' }),
    region: toOne('regions', { nullable: true, doc: 'The region it is in.' }),
    area: toOne('areas', { nullable: true, doc: 'The wider area it belongs to.' }),
  },
  filters: {
    id: anyId('t.id'),
    name: anyOf('t.name', { caseInsensitive: true, blank: true }),
    'country.id': anyId('t.country_id', { blank: true }),
    'region.id': anyId('t.region_id', { blank: true }),
    'area.id': anyId('t.area_id'),
    is_available: sellsSomethingIn('city_id'),
  },
  sort: ['name'],
  defaultSort: 'name',
  maxPageSize: longPage,
});
