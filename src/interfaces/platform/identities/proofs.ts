/** `proofs` and `proof_types`: documents that support an identity or an address, and the kinds there are. */
import { dateTime, text } from '../../../engines/jsonapi/attributes.ts';
import { toMany, toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { createdAt, externalReferenceId } from '../common-attributes.ts';
import { owned, reference } from '../declare.ts';
import { createProof, deleteProof } from './proofs.writes.ts';

const entityTypes = { Personal: 'A person.', Business: 'A company.', Address: 'An address.' };

export const proofTypes = reference('proof_types', {
  group: 'Regulation',
  noun: 'proof type',
  summary: 'What can prove an identity or an address.',
  attributes: {
    name: text({ doc: 'The kind of document.' }),
    entity_type: text({ values: entityTypes, doc: 'What it proves.' }),
  },
  filters: { entity_type: anyOf('t.entity_type', { values: entityTypes }), id: anyId('t.id') },
  tieBreak: 't.position, t.id',
  paginated: false,
});

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

export const proofs = owned('proofs', {
  group: 'Regulation',
  noun: 'proof',
  summary: 'A document that proves an identity or an address.',
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
  filters: {
    external_reference_id: anyOf('t.external_reference_id', { single: true }),
    id: anyId('t.id'),
  },
  sort: ['created_at', 'expires_at', 'external_reference_id'],
  tieBreak: 't.created_at, t.id',
  create: createProof,
  stores: ['update'],
  delete: deleteProof,
});
