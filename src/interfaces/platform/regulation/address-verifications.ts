/** `address_verifications`: submissions that a reviewer decides; and what emergency verifications share with them. */

import type { Meanings } from '../../../engines/jsonapi/facts.ts';
import { anyId, anyOf, contains, explained, type Filter } from '../../../engines/jsonapi/filters.ts';
import { owned } from '../declare.ts';
import { addressVerificationMembers, verificationStatuses } from './address-verifications.members.ts';
import { submitAddressVerification } from './address-verifications.writes.ts';

/** Ignores case, because some clients send `Rejected`. */
export const statusFilter = (values: Meanings = verificationStatuses): Filter => {
  const filter = anyOf('t.status', { single: true, values });
  return { ...filter, parse: (value) => filter.parse(value.toLowerCase()) };
};

export const addressVerifications = owned('address_verifications', {
  group: 'Address verifications',
  noun: 'address verification',
  summary: 'A submission of an identity and address for numbers, reviewed by a person.',
  ...addressVerificationMembers,
  filters: {
    id: anyId('t.id'),
    'address.id': anyId('t.address_id'),
    'address.identity.id': explained(
      'Who is to be registered.',
      anyId('(select a.identity_id from addresses a where a.id = t.address_id)'),
    ),
    status: statusFilter(),
    external_reference_id: anyOf('t.external_reference_id', { single: true }),
    reference: contains('t.reference'),
    reference_in: anyOf('t.reference'),
  },
  sort: ['created_at', 'external_reference_id'],
  tieBreak: 't.created_at, t.id',
  create: submitAddressVerification,
  stores: ['update'],
});
