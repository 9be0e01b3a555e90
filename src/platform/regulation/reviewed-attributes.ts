/** Attributes and the status filter that address and emergency verifications have in common. */

import { list, text } from '../../jsonapi/attributes.ts';
import type { Meanings } from '../../jsonapi/facts.ts';
import { anyOf, type Filter } from '../../jsonapi/filters.ts';
import { referencePattern } from '../../reference.ts';
import { callbackAttributes, createdAt, externalReferenceId } from '../common-attributes.ts';

const VERIFICATION_STATUSES = {
  pending: 'Waiting for the review.',
  approved: 'Accepted; its numbers are registered.',
  rejected: 'Refused; the reasons say what to change in a new one.',
};

export const outcomeAttributes = {
  reference: text({ pattern: referencePattern, doc: 'The short name people use for it.' }),
  status: text({ values: VERIFICATION_STATUSES, doc: 'How far the review is.' }),
  reject_reasons: list({ type: 'string' }, { nullable: true, doc: 'Why it was rejected.' }),
  reject_comment: text({ nullable: true, doc: 'What the reviewer wrote.' }),
};

export const callbackAndReferenceAttributes = {
  ...callbackAttributes,
  external_reference_id: externalReferenceId,
  created_at: createdAt,
};

/** Ignores case, because some clients send `Rejected`. */
export const statusFilter = (values: Meanings = VERIFICATION_STATUSES): Filter => {
  const filter = anyOf('t.status', { single: true, values });
  return { ...filter, parse: (value) => filter.parse(value.toLowerCase()) };
};
