/** A country where numbers are sold. */
import { text } from '../../../engines/jsonapi/attributes.ts';
import { toMany } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { reference } from '../declare.ts';
import { sellsSomethingIn } from '../did-groups/availability.ts';

export const countries = reference('countries', {
  group: 'Coverage',
  noun: 'country',
  summary: 'A country in coverage.',
  attributes: {
    name: text({ doc: 'The English name.' }),
    prefix: text({ nullable: true, pattern: '^[0-9]+$', doc: 'The country calling code, without `+`.' }),
    iso: text({ format: 'iso-3166-1-alpha-2', doc: 'The two-letter code of ISO 3166-1.' }),
  },
  relationships: { regions: toMany('regions', { via: 'country_id', doc: 'The regions of the country.' }) },
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
