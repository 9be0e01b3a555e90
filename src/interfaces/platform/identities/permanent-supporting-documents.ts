/**
 * `permanent_supporting_documents` and `supporting_document_templates`: signed forms of an identity, and the blank
 * ones.
 */

import { boolean, text } from '../../../engines/jsonapi/attributes.ts';
import { anyId, anyOf, contains, flag } from '../../../engines/jsonapi/filters.ts';
import { owned, reference } from '../declare.ts';
import { formPath } from './blank-forms.ts';
import { documentMembers } from './permanent-supporting-documents.members.ts';
import { createDocument, deleteDocument } from './permanent-supporting-documents.writes.ts';

export const supportingDocumentTemplates = reference('supporting_document_templates', {
  group: 'Regulation',
  noun: 'form template',
  summary: 'A blank form to be filled in, signed and uploaded.',
  attributes: {
    name: text({ doc: 'The title of the form.' }),
    permanent: boolean({ doc: 'True: it stays with an identity. False: it is sent with one address verification.' }),
    url: {
      ...text({ format: 'uri', column: 't.storage_key', doc: 'Where the blank form can be downloaded.' }),
      decode: (key: string, { baseUrl }) => `${baseUrl.replace(/\/v3$/, '')}${formPath}${key}`,
    },
  },
  filters: {
    id: anyId('t.id'),
    name: anyOf('t.name'),
    name_contains: contains('t.name'),
    permanent: flag('t.permanent'),
  },
  sort: ['name', 'permanent'],
  tieBreak: 't.name, t.id',
});

export const permanentSupportingDocuments = owned('permanent_supporting_documents', {
  group: 'Regulation',
  noun: 'permanent document',
  summary: 'A signed form that stays with an identity.',
  ...documentMembers,
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
