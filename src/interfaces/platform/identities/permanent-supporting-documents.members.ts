/** The attributes and relationships of permanent documents: what a request may send of one is derived from here. */
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { createdAt, externalReferenceId } from '../common-attributes.ts';
import { uploadedPages } from './proofs.members.ts';

export const documentMembers = {
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
    files: uploadedPages,
  },
};
