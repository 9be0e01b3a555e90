/** What address and emergency verifications show alike: what became of them, and where the customer wants to be told. */
import { dateTime, list, text } from '../../../jsonapi/attributes.ts';
import { anyOf, type Filter } from '../../../jsonapi/filters.ts';

const VERIFICATION_STATUSES = ['pending', 'approved', 'rejected'];

export const outcomeAttributes = {
  reference: text({ pattern: '^[A-Z]{3}-[0-9]{6}$' }),
  status: text({ enum: VERIFICATION_STATUSES }),
  reject_reasons: list({ type: 'string' }, { nullable: true }),
  reject_comment: text({ nullable: true }),
};

export const callbackAttributes = {
  callback_url: text({ nullable: true, write: 'create', format: 'uri', togetherWith: 'callback_method' }),
  callback_method: text({ nullable: true, write: 'create', enum: ['get', 'post'], togetherWith: 'callback_url' }),
  external_reference_id: text({ nullable: true, write: 'both', maxLength: 100 }),
  created_at: dateTime(),
};

/** Clients are known to write `Rejected`. */
export const statusFilter = (words: readonly string[] = VERIFICATION_STATUSES): Filter => {
  const filter = anyOf('t.status', { single: true, enum: words });
  return { ...filter, parse: (value) => filter.parse(value.toLowerCase()) };
};
