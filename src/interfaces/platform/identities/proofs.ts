/** `proofs` and `proof_types`: documents that support an identity or an address, and the kinds there are. */

import { text } from '../../../engines/jsonapi/attributes.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { owned, reference } from '../declare.ts';
import { proofMembers } from './proofs.members.ts';
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

export const proofs = owned('proofs', {
  group: 'Regulation',
  noun: 'proof',
  summary: 'A document that proves an identity or an address.',
  ...proofMembers,
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
