import { text } from '../../../jsonapi/attributes.ts';
import { toMany, toOne } from '../../../jsonapi/declare.ts';
import { anyId, anyOf, contains } from '../../../jsonapi/filters.ts';
import { columnValues, updateRow } from '../../../jsonapi/write.ts';
import { owned } from '../../declare.ts';
import { callbackAttributes, outcomeAttributes, statusFilter } from './reviewed.ts';
import { submitAddressVerification } from './submit-address-verification.ts';

/** A submission of an identity and address for numbers, reviewed by a person. */
export const addressVerifications = owned('address_verifications', {
  group: 'Address verifications',
  summary: 'A submission of an identity and address for numbers, reviewed by a person.',
  attributes: {
    ...outcomeAttributes,
    service_description: text({ nullable: true, write: 'create' }),
    ...callbackAttributes,
  },
  relationships: {
    address: toOne('addresses', { write: 'create', required: true }),
    dids: toMany('dids', {
      write: 'create',
      required: true,
      min: 1,
      through: { table: 'address_verification_dids', from: 'address_verification_id', to: 'did_id' },
    }),
    onetime_files: toMany('encrypted_files', { write: 'create', writeOnly: true }),
  },
  filters: {
    id: anyId('t.id'),
    'address.id': anyId('t.address_id'),
    'address.identity.id': anyId('(select a.identity_id from addresses a where a.id = t.address_id)'),
    status: statusFilter(),
    external_reference_id: anyOf('t.external_reference_id', { single: true }),
    reference: contains('t.reference'),
    reference_in: anyOf('t.reference'),
  },
  sort: ['created_at', 'external_reference_id'],
  tieBreak: 't.created_at, t.id',
  endpoints: { create: true, update: true },
  create: submitAddressVerification,
  update: (context, id, input) => updateRow(context, { table: 'address_verifications' }, id, columnValues(input)),
});
