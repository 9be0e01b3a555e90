/** `public_keys`: the two keys to encrypt files for, first A, then B. */
import { text } from '../../jsonapi/attributes.ts';
import { anyId, explained, type Filter } from '../../jsonapi/filters.ts';
import { open } from '../declare.ts';
import { currentKeys } from './key-pairs.ts';

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
