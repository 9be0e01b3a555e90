import { dateTime, text } from '../../../jsonapi/attributes.ts';
import { toMany, toOne } from '../../../jsonapi/declare.ts';
import { anyId, anyOf } from '../../../jsonapi/filters.ts';
import { columnValues, updateRow } from '../../../jsonapi/write.ts';
import { owned } from '../../declare.ts';
import { createProof } from './create-proof.ts';
import { deleteProof } from './delete-proof.ts';

/** A document that proves an identity or an address. Its files go in and never come out. */
export const proofs = owned('proofs', {
  group: 'Regulation',
  summary: 'A document that proves an identity or an address.',
  attributes: {
    created_at: dateTime(),
    expires_at: dateTime({ nullable: true }),
    external_reference_id: text({ nullable: true, write: 'both', maxLength: 100 }),
  },
  relationships: {
    proof_type: toOne('proof_types', { write: 'create', required: true }),
    entity: toOne(['identities', 'addresses'], {
      write: 'create',
      required: true,
      column: 'coalesce(t.identity_id, t.address_id)',
      typeColumn: `case when t.identity_id is null then 'addresses' else 'identities' end`,
    }),
    files: toMany('encrypted_files', { write: 'create', required: true, writeOnly: true, min: 1, max: 5 }),
  },
  filters: {
    external_reference_id: anyOf('t.external_reference_id', { single: true }),
    id: anyId('t.id'),
  },
  sort: ['created_at', 'expires_at', 'external_reference_id'],
  tieBreak: 't.created_at, t.id',
  endpoints: { create: true, update: true, delete: true },
  create: createProof,
  update: (context, id, input) => updateRow(context, { table: 'proofs' }, id, columnValues(input)),
  delete: deleteProof,
});
