import { text } from '../../jsonapi/attributes.ts';
import { toMany } from '../../jsonapi/declare.ts';
import { anyId, anyOf } from '../../jsonapi/filters.ts';
import { catalogue } from '../declare.ts';
import { sellsSomethingIn } from '../did-groups/availability.ts';

/** A country in coverage. */
export const countries = catalogue('countries', {
  group: 'Coverage',
  summary: 'A country in coverage.',
  attributes: {
    name: text(),
    prefix: text({ nullable: true, pattern: '^[0-9]+$' }),
    iso: text({ format: 'iso-3166-1-alpha-2' }),
  },
  relationships: { regions: toMany('regions', { via: 'country_id' }) },
  filters: {
    id: anyId('t.id'),
    name: anyOf('t.name', { caseInsensitive: true, blank: true }),
    prefix: anyOf('t.prefix', { blank: true }),
    iso: anyOf('t.iso', { blank: true }),
    is_available: sellsSomethingIn('country_id'),
  },
  sort: ['iso', 'name', 'prefix'],
  defaultSort: 'name',
  paginated: false,
});
