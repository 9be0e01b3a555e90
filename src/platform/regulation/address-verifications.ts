/** `address_verifications`: a submission of an identity and address for numbers, reviewed by a person. */
import { freeText } from '../../jsonapi/attributes.ts';
import { toMany, toOne } from '../../jsonapi/declare.ts';
import { anyId, anyOf, contains, explained } from '../../jsonapi/filters.ts';
import { owned } from '../declare.ts';
import { submitAddressVerification } from './address-verifications.writes.ts';
import { callbackAndReferenceAttributes, outcomeAttributes, statusFilter } from './reviewed-attributes.ts';

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
