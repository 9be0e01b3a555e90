import { text } from '../../jsonapi/attributes.ts';
import { anyId, anyOf } from '../../jsonapi/filters.ts';
import { catalogue } from '../declare.ts';

/** Local, National, Mobile, Toll-free, Shared Cost, Global. */
export const didGroupTypes = catalogue('did_group_types', {
  group: 'DID groups',
  noun: 'DID group type',
  summary: 'What kind of numbers a group holds: Local, National, Mobile, Toll-free, Shared Cost or Global.',
  attributes: { name: text({ doc: 'The name of the kind.' }) },
  filters: { id: anyId('t.id'), name: anyOf('t.name') },
  sort: ['name'],
  defaultSort: 'name',
});
