/**
 * `encrypted_files`: uploads for proofs and documents, which expire after a day and whose content the API never
 * returns. `public_keys`: the two keys to encrypt them for, first A, then B.
 */
import { dateTime, freeText, text } from '../../../engines/jsonapi/attributes.ts';
import { anyId, explained, type Filter } from '../../../engines/jsonapi/filters.ts';
import { open, owned } from '../declare.ts';
import { currentKeys } from './key-pairs.ts';

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

/** Some clients send it. */
const ignored: Filter = {
  ...explained('Accepted and without effect.', anyId('t.id')),
  parse: () => [],
  where: () => 'true',
};

export const publicKeys = open('public_keys', {
  group: 'Regulation',
  noun: 'public key',
  summary: 'The two keys that files are encrypted for.',
  table: 'encryption_keys',
  attributes: {
    key: text({ format: 'pem', column: 't.public_key', doc: 'An RSA key, PEM; the first is A, the second B.' }),
  },
  filters: { id: ignored },
  endpoints: { read: false },
  paginated: false,
  tieBreak: 't.slot',
  visible: () => 't.retired_at is null',
  // The first request generates the keys.
  findPage: async (context, { columns }) => {
    await currentKeys(context.env);
    const rows = await context.query(
      `select ${columns} from encryption_keys t where t.retired_at is null order by t.slot`,
      [],
    );
    return { rows, total: rows.length };
  },
});
