/** A point of presence that a trunk can be pinned to. */
import { text } from '../../../engines/jsonapi/attributes.ts';
import { anyId } from '../../../engines/jsonapi/filters.ts';
import { reference } from '../declare.ts';

export const pops = reference('pops', {
  group: 'Inbound trunks',
  noun: ['point of presence', 'points of presence'],
  summary: 'A point of presence that a trunk can be pinned to.',
  attributes: { name: text({ doc: 'Where it is.' }) },
  filters: { id: anyId('t.id') },
  tieBreak: 't.name, t.id',
  paginated: false,
  endpoints: { read: false },
});
