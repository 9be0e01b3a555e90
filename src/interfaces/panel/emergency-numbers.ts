/** `emergency_numbers` of `/panel/v1`: the numbers for which emergency calling can be asked for now. */

import { isUuid } from '../../base/uuid.ts';
import { text } from '../../engines/jsonapi/attributes.ts';
import { anyId, contains, explained, type Filter } from '../../engines/jsonapi/filters.ts';
import { createdAt } from '../platform/common-attributes.ts';
import { owned } from './context.ts';

/** Numbers of one service have a kind and a place in common. */
const togetherWith: Filter = {
  facts: { match: 'exact' },
  parse: (value) => (isUuid(value) ? [value] : null),
  where: ([id], params) => `exists (
    select from dids d join did_groups g on g.id = d.did_group_id left join cities c on c.id = g.city_id
    where d.id = ${params.add(id)}::uuid and d.account_id = t.account_id
      and g.did_group_type_id = t.did_group_type_id and g.country_id = t.country_id
      and (g.city_id = t.city_id or c.area_id = t.area_id))`,
};

export const emergencyNumbers = owned('emergency_numbers', {
  group: 'Panel',
  noun: 'number without emergency calling',
  summary: 'A number that can get emergency calling and has not asked for it. Its id is that of the number.',
  from: () => `(
    select d.id, d.account_id, d.number, d.description, d.created_at,
      g.did_group_type_id, g.country_id, g.city_id, c.area_id
    from dids d join did_groups g on g.id = d.did_group_id join cities c on c.id = g.city_id
    where d.activated_at is not null and not d.terminated and d.emergency_calling_service_id is null
      and g.features @> array['emergency']
      and exists (select from emergency_requirements r
        where r.country_id = g.country_id and r.did_group_type_id = g.did_group_type_id)) t`,
  attributes: {
    number: text({ doc: 'The number, with its country code and without `+`.' }),
    description: text({ nullable: true, doc: 'Your own note.' }),
    created_at: createdAt,
  },
  filters: {
    id: anyId('t.id'),
    together_with: explained('That can share a service with this number.', togetherWith),
    number_contains: explained('Whose number contains these digits.', contains('t.number')),
  },
  sort: ['created_at', 'number'],
  defaultSort: '-created_at',
});
