/** A number that can be chosen individually. Its filters use the block `b` and its group `g`: see find-numbers.ts. */
import { text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { allOf, anyId, contains, explained, type Filter, flag, reading } from '../../../engines/jsonapi/filters.ts';
import { catalogue, needsFeature } from '../declare.ts';
import { featureTexts } from './did-groups.ts';
import { findNumbers } from './find-numbers.ts';

/** Filters that narrow the search enough to allow a shorter `number_contains`. */
const ofGroup = (filter: Filter) => reading(['did_groups'], filter);

const coverageFilters = ['country.id', 'region.id', 'city.id', 'did_group.id'] as const;
const shortestSearch = 3;

export const availableDids = catalogue('available_dids', {
  group: 'DID groups',
  noun: 'available number',
  summary: 'A number that can be picked from its group.',
  attributes: { number: text({ pattern: '^[0-9]+$', doc: 'The number, with its country code and without `+`.' }) },
  relationships: {
    did_group: toOne('did_groups', { doc: 'The group that sells it.' }),
    nanpa_prefix: toOne('nanpa_prefixes', { nullable: true, doc: 'Its prefix, under country code 1.' }),
  },
  filters: {
    id: anyId('t.id'),
    'did_group_type.id': explained('The kind of number.', ofGroup(anyId('g.did_group_type_id'))),
    'country.id': explained('The country of the number.', ofGroup(anyId('g.country_id'))),
    'region.id': explained('The region of the number.', ofGroup(anyId('g.region_id'))),
    'city.id': explained('The city of the number.', ofGroup(anyId('g.city_id'))),
    'nanpa_prefix.id': anyId('b.nanpa_prefix_id'),
    'did_group.id': anyId('b.did_group_id', { blank: true }),
    'did_group.features': explained('What the number can do.', allOf('g.features', featureTexts)),
    'did_group.needs_registration': explained('Whether it needs an approval.', flag('g.needs_registration')),
    number_contains: {
      ...contains('t.number'),
      doc: 'Digits anywhere in the number.',
      facts: { match: 'contains', minLength: shortestSearch, minLengthWaivedBy: coverageFilters },
      parse: (digits) => (/^\d{1,15}$/.test(digits) ? [digits] : null),
    },
  },
  collectionMeta: { total_count: (_context, page) => page.total },
  metaDocs: { total_count: 'The same as `total_records`, under its older name.' },
  findPage: findNumbers,
  reusesSerializedRows: true,
  // A reserved number is visible to its holder only; numbers of groups without individual choice are not visible.
  visible: ({ caller, now }, params) =>
    `exists (select from did_groups g where g.id = t.did_group_id and g.available_dids_enabled)
     and not exists (select from did_reservations r where r.available_did_id = t.id
       and r.expires_at > ${params.add(now)} and r.account_id is distinct from ${params.add(caller?.accountId ?? null)})`,
  guard: needsFeature('number_selection'),
});
