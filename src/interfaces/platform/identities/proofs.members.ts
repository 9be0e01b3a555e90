/** The attributes and relationships of proofs: what a request may send of one is derived from here. */
import { dateTime } from '../../../engines/jsonapi/attributes.ts';
import { toMany, toOne } from '../../../engines/jsonapi/declare.ts';
import { createdAt, externalReferenceId } from '../common-attributes.ts';

/** The scans of a document, which are never returned by the API. */
export const uploadedPages = toMany('encrypted_files', {
  write: 'create',
  required: true,
  writeOnly: true,
  min: 1,
  max: 5,
  unique: true,
  doc: 'Its uploaded pages.',
});

export const proofMembers = {
  attributes: {
    created_at: createdAt,
    expires_at: dateTime({ nullable: true, doc: 'When it stops counting; null is never.' }),
    external_reference_id: externalReferenceId,
  },
  relationships: {
    proof_type: toOne('proof_types', { write: 'create', required: true, doc: 'What kind of document it is.' }),
    entity: toOne(['identities', 'addresses'], {
      doc: 'The identity or address that it proves.',
      write: 'create',
      required: true,
      column: 'coalesce(t.identity_id, t.address_id)',
      typeColumn: `case when t.identity_id is null then 'addresses' else 'identities' end`,
    }),
    files: uploadedPages,
  },
};
