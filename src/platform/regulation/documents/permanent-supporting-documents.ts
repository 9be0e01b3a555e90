import { dateTime, text } from '../../../jsonapi/attributes.ts';
import { toMany, toOne } from '../../../jsonapi/declare.ts';
import { anyId, anyOf } from '../../../jsonapi/filters.ts';
import { columnValues, updateRow } from '../../../jsonapi/write.ts';
import { owned } from '../../declare.ts';
import { createDocument } from './create-document.ts';
import { deleteDocument } from './delete-document.ts';

/** A signed form that stays with an identity. */
export const permanentSupportingDocuments = owned('permanent_supporting_documents', {
  group: 'Regulation',
  summary: 'A signed form that stays with an identity.',
  attributes: {
    created_at: dateTime(),
    external_reference_id: text({ nullable: true, write: 'both', maxLength: 100 }),
  },
  relationships: {
    template: toOne('supporting_document_templates', { write: 'create', required: true }),
    identity: toOne('identities', { write: 'create', required: true }),
    files: toMany('encrypted_files', { write: 'create', required: true, writeOnly: true, min: 1, max: 5 }),
  },
  filters: {
    external_reference_id: anyOf('t.external_reference_id', { single: true }),
    id: anyId('t.id'),
  },
  sort: ['created_at', 'external_reference_id'],
  tieBreak: 't.created_at, t.id',
  endpoints: { create: true, update: true, delete: true },
  create: createDocument,
  update: (context, id, input) =>
    updateRow(context, { table: 'permanent_supporting_documents' }, id, columnValues(input)),
  delete: deleteDocument,
});
