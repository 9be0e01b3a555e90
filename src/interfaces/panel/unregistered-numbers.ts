/** `unregistered_numbers` of `/panel/v1`: the numbers that can be registered now, and by which requirement. */
import { text } from '../../engines/jsonapi/attributes.ts';
import { anyId, contains, explained } from '../../engines/jsonapi/filters.ts';
import { createdAt } from '../platform/common-attributes.ts';
import { pendingVerificationOfNumber, requirementOfNumber } from '../platform/regulation/registrable-numbers.ts';
import { owned } from './context.ts';

export const unregisteredNumbers = owned('unregistered_numbers', {
  group: 'Panel',
  noun: 'unregistered number',
  summary: 'A number that waits for a registration and is in no review. Its id is that of the number.',
  from: () => `(
    select d.id, d.account_id, d.number, d.description, d.created_at, q.id as requirement_id
    from dids d
      join did_groups g on g.id = d.did_group_id
      join address_requirements q on ${requirementOfNumber}
    where d.awaiting_registration and d.activated_at is not null and not d.terminated
      and ${pendingVerificationOfNumber} is null) t`,
  attributes: {
    number: text({ doc: 'The number, with its country code and without `+`.' }),
    description: text({ nullable: true, doc: 'Your own note.' }),
    requirement_id: text({ doc: 'The address requirement that it is subject to.' }),
    created_at: createdAt,
  },
  filters: {
    id: anyId('t.id'),
    requirement_id: explained('Of this requirement.', anyId('t.requirement_id')),
    number_contains: explained('Whose number contains these digits.', contains('t.number')),
  },
  sort: ['created_at', 'number'],
  defaultSort: '-created_at',
});
