/** `address_verifications`: submissions that a reviewer decides; and what emergency verifications share with them. */

import { referencePattern } from '../../../business/reference.ts';
import { freeText, list, text } from '../../../engines/jsonapi/attributes.ts';
import { toMany, toOne } from '../../../engines/jsonapi/declare.ts';
import type { Meanings } from '../../../engines/jsonapi/facts.ts';
import { anyId, anyOf, contains, explained, type Filter } from '../../../engines/jsonapi/filters.ts';
import { callbackAttributes, createdAt, externalReferenceId } from '../common-attributes.ts';
import { owned } from '../declare.ts';
import { submitAddressVerification } from './address-verifications.writes.ts';

const verificationStatuses = {
  pending: 'Waiting for the review.',
  approved: 'Accepted; its numbers are registered.',
  rejected: 'Refused; the reasons say what to change in a new one.',
};

export const outcomeAttributes = {
  reference: text({ pattern: referencePattern, doc: 'The short name people use for it.' }),
  status: text({ values: verificationStatuses, doc: 'How far the review is.' }),
  reject_reasons: list({ type: 'string' }, { nullable: true, doc: 'Why it was rejected.' }),
  reject_comment: text({ nullable: true, doc: 'What the reviewer wrote.' }),
};

export const callbackAndReferenceAttributes = {
  ...callbackAttributes,
  external_reference_id: externalReferenceId,
  created_at: createdAt,
};

/** Ignores case, because some clients send `Rejected`. */
export const statusFilter = (values: Meanings = verificationStatuses): Filter => {
  const filter = anyOf('t.status', { single: true, values });
  return { ...filter, parse: (value) => filter.parse(value.toLowerCase()) };
};

export const addressVerifications = owned('address_verifications', {
  group: 'Address verifications',
  noun: 'address verification',
  summary: 'A submission of an identity and address for numbers, reviewed by a person.',
  attributes: {
    ...outcomeAttributes,
    service_description: freeText({
      nullable: true,
      write: 'create',
      doc: 'What the numbers are for; only where the requirement asks for it.',
    }),
    ...callbackAndReferenceAttributes,
  },
  relationships: {
    address: toOne('addresses', {
      write: 'create',
      required: true,
      doc: 'The address to register, and with it its identity.',
    }),
    dids: toMany('dids', {
      doc: 'The numbers to register.',
      write: 'create',
      required: true,
      min: 1,
      unique: true,
      through: { table: 'address_verification_dids', from: 'address_verification_id', to: 'did_id' },
    }),
    onetime_files: toMany('encrypted_files', {
      write: 'create',
      writeOnly: true,
      unique: true,
      doc: 'The signed one-time form; only where the requirement names one.',
    }),
  },
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
