import { text } from '../../../jsonapi/attributes.ts';
import { anyId, anyOf } from '../../../jsonapi/filters.ts';
import { catalogue } from '../../declare.ts';

const ENTITY_TYPES = ['Personal', 'Business', 'Address'];

/** What can prove an identity or an address. */
export const proofTypes = catalogue('proof_types', {
  group: 'Regulation',
  summary: 'What can prove an identity or an address.',
  attributes: { name: text(), entity_type: text({ enum: ENTITY_TYPES }) },
  filters: { entity_type: anyOf('t.entity_type', { enum: ENTITY_TYPES }), id: anyId('t.id') },
  tieBreak: 't.position, t.id',
  paginated: false,
});
