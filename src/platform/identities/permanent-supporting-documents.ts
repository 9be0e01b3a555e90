/** `permanent_supporting_documents`: a signed form that stays with an identity. */
import { toMany, toOne } from '../../jsonapi/declare.ts';
import { anyId, anyOf } from '../../jsonapi/filters.ts';
import { createdAt, externalReferenceId } from '../common-attributes.ts';
import { owned } from '../declare.ts';
import { createDocument, deleteDocument } from './permanent-supporting-documents.writes.ts';

export const permanentSupportingDocuments = owned('permanent_supporting_documents', {
  group: 'Regulation',
  noun: 'permanent document',
  summary: 'A signed form that stays with an identity.',
  attributes: {
    created_at: createdAt,
    external_reference_id: externalReferenceId,
  },
  relationships: {
    template: toOne('supporting_document_templates', {
      write: 'create',
      required: true,
      doc: 'The form that was filled in.',
    }),
    identity: toOne('identities', { write: 'create', required: true, doc: 'Who signed it.' }),
    files: toMany('encrypted_files', {
      write: 'create',
      required: true,
      writeOnly: true,
      min: 1,
      max: 5,
      doc: 'Its uploaded pages.',
    }),
  },
  filters: {
    external_reference_id: anyOf('t.external_reference_id', { single: true }),
    id: anyId('t.id'),
  },
  sort: ['created_at', 'external_reference_id'],
  tieBreak: 't.created_at, t.id',
  create: createDocument,
  stores: ['update'],
  delete: deleteDocument,
});
