/** `encrypted_files`: uploads for proofs and documents. They expire after a day, and the API never returns their content. */
import { dateTime, freeText } from '../../jsonapi/attributes.ts';
import { anyId } from '../../jsonapi/filters.ts';
import { owned } from '../declare.ts';
import { MAX_FILE_BYTES } from './receive-upload.ts';

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
  notes: {
    upload: {
      request_media_type: 'multipart/form-data',
      response_media_type: 'application/json',
      parts: {
        'encrypted_files[file]': { required: true, max_bytes: MAX_FILE_BYTES },
        'encrypted_files[encryption_fingerprint]': { required: true, pattern: '^[0-9a-f]{40}:::[0-9a-f]{40}$' },
        'encrypted_files[description]': { required: false },
      },
    },
  },
});
