import { dateTime, list, text } from '../../../jsonapi/attributes.ts';
import { toMany, toOne } from '../../../jsonapi/declare.ts';
import { anyId, anyOf, contains, type Filter } from '../../../jsonapi/filters.ts';
import { columnValues, updateRow } from '../../../jsonapi/write.ts';
import { owned } from '../../declare.ts';
import { submitAddressVerification } from './submit-address-verification.ts';

export const VERIFICATION_STATUSES = ['pending', 'approved', 'rejected'];

/** Clients are known to write `Rejected`. */
export const statusFilter = (words: readonly string[]): Filter => {
  const filter = anyOf('t.status', { single: true, enum: words });
  return { ...filter, parse: (value) => filter.parse(value.toLowerCase()) };
};

/** A submission of an identity and address for numbers, reviewed by a person. */
export const addressVerifications = owned('address_verifications', {
  group: 'Address verifications',
  summary: 'A submission of an identity and address for numbers, reviewed by a person.',
  attributes: {
    reference: text({ pattern: '^[A-Z]{3}-[0-9]{6}$' }),
    status: text({ enum: VERIFICATION_STATUSES }),
    reject_reasons: list({ type: 'string' }, { nullable: true }),
    reject_comment: text({ nullable: true }),
    service_description: text({ nullable: true, write: 'create' }),
    callback_url: text({ nullable: true, write: 'create', format: 'uri', togetherWith: 'callback_method' }),
    callback_method: text({ nullable: true, write: 'create', enum: ['get', 'post'], togetherWith: 'callback_url' }),
    external_reference_id: text({ nullable: true, write: 'both', maxLength: 100 }),
    created_at: dateTime(),
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
    status: statusFilter(VERIFICATION_STATUSES),
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
