/** The attributes and relationships of address verifications: what a request may send of one is derived from here. */
import { referencePattern } from '../../../business/reference.ts';
import { freeText, list, text } from '../../../engines/jsonapi/attributes.ts';
import { toMany, toOne } from '../../../engines/jsonapi/declare.ts';
import { callbackAttributes, createdAt, externalReferenceId } from '../common-attributes.ts';

export const verificationStatuses = {
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

export const addressVerificationMembers = {
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
};
