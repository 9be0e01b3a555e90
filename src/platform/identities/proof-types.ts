/** `proof_types`: the kinds of documents that can prove an identity or an address. */
import { text } from '../../jsonapi/attributes.ts';
import { anyId, anyOf } from '../../jsonapi/filters.ts';
import { catalogue } from '../declare.ts';

const ENTITY_TYPES = { Personal: 'A person.', Business: 'A company.', Address: 'An address.' };

export const proofTypes = catalogue('proof_types', {
  group: 'Regulation',
  noun: 'proof type',
  summary: 'What can prove an identity or an address.',
  attributes: {
    name: text({ doc: 'The kind of document.' }),
    entity_type: text({ values: ENTITY_TYPES, doc: 'What it proves.' }),
  },
  filters: { entity_type: anyOf('t.entity_type', { values: ENTITY_TYPES }), id: anyId('t.id') },
  tieBreak: 't.position, t.id',
  paginated: false,
});
