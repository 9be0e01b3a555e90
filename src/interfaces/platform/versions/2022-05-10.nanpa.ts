/** North American prefixes came, instead of `local_prefix`; names are found whatever their spelling. */
import { text } from '../../../engines/jsonapi/attributes.ts';
import { anyOf } from '../../../engines/jsonapi/filters.ts';
import { type Change, noType } from '../../../engines/jsonapi/versions/change.ts';
import { factsWere, filterBySpelling, hadAttribute, hadFilter } from '../../../engines/jsonapi/versions/members.ts';
import { noObjectMembers } from '../../../engines/jsonapi/versions/objects.ts';

/** No group of the catalogue has further digits that all its numbers begin with. */
const localPrefix = "''::text";

export const nanpa: readonly Change[] = [
  noType('nanpa_prefixes'),
  noObjectMembers('orders', 'items', 'did_order_items', 'nanpa_prefix_id'),
  hadAttribute(
    'did_groups',
    'local_prefix',
    text({ column: localPrefix, doc: 'Further digits that its numbers begin with, behind `prefix`.' }),
    { after: 'prefix' },
  ),
  hadFilter('did_groups', 'local_prefix', { ...anyOf(localPrefix), parse: (prefix) => prefix.split(',') }),
  ...['cities', 'countries', 'regions', 'areas'].map((type) => filterBySpelling(type, 'name')),
  filterBySpelling('did_groups', 'area_name'),
  factsWere('identities', 'phone_number', { pattern: undefined, doc: 'Where to reach them.' }),
];
