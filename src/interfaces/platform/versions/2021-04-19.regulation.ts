/** Regulation came: before, a group said in a text what had to be known before buying. */
import { type Change, noType } from '../../../engines/jsonapi/versions/change.ts';
import { hadMeta } from '../../../engines/jsonapi/versions/members.ts';

export const firstRegulation: readonly Change[] = [
  hadMeta('did_groups', 'restrictions', {
    type: 'string|null',
    doc: 'What must be known before buying.',
    column: 't.service_restrictions',
  }),
  ...['areas', 'identities', 'addresses', 'proofs', 'proof_types', 'permanent_supporting_documents'].map(noType),
  ...['supporting_document_templates', 'encrypted_files', 'public_keys'].map(noType),
  ...['address_requirements', 'address_requirement_validations', 'address_verifications'].map(noType),
];
