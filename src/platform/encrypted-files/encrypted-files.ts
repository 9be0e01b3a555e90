/** `encrypted_files`: uploads for proofs and documents. They expire after a day, and the API never returns their content. */
import { dateTime, freeText } from '../../jsonapi/attributes.ts';
import { anyId } from '../../jsonapi/filters.ts';
import { owned } from '../declare.ts';

export const encryptedFiles = owned('encrypted_files', {
  group: 'Regulation',
  noun: 'encrypted file',
  summary: 'An encrypted upload, kept for a day unless a proof or document takes it.',
  attributes: {
    description: freeText({ nullable: true, write: 'create', doc: 'Your own note.' }),
    expires_at: dateTime({ doc: 'When the upload is deleted: a day after it was made.' }),
  },
  filters: { id: anyId('t.id') },
  sort: { description: 't.description', expire_at: 't.expires_at', expires_at: 't.expires_at' },
  sortAliases: { expire_at: 'expires_at' },
  tieBreak: 't.created_at, t.id',
  visible: ({ now }, params) => `t.expires_at > ${params.add(now)}`,
  ownRoutes: ['create'],
  stores: ['delete'],
});
