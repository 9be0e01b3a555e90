/** Encrypted files that customers uploaded and that no document uses yet. The content is not shown here. */
import { dateTime, integer, text } from '../../../engines/jsonapi/attributes.ts';
import { anyId } from '../../../engines/jsonapi/filters.ts';
import { operatorType } from '../context.ts';
import { account, createdBetween, endless } from './shared-filters.ts';

export const uploads = operatorType('uploads', {
  group: 'Review',
  noun: 'upload',
  summary: 'An encrypted file of a customer, until a document takes it or it expires.',
  table: 'encrypted_files',
  ...endless,
  attributes: {
    description: text({ nullable: true, doc: "The customer's note." }),
    size: integer({
      nullable: true,
      column: '(select f.size from stored_files f where f.id = t.stored_file_id)',
      doc: 'Bytes, encrypted.',
    }),
    key_fingerprint: text({
      nullable: true,
      column: '(select f.fingerprint from stored_files f where f.id = t.stored_file_id)',
      doc: 'The encryption key it was made for.',
    }),
    created_at: dateTime({ doc: 'When it was uploaded.' }),
    expires_at: dateTime({ doc: 'When it is deleted if nothing uses it.' }),
  },
  relationships: { account },
  filters: { id: anyId('t.id'), 'account.id': anyId('t.account_id'), ...createdBetween },
  sort: ['created_at'],
  defaultSort: '-created_at',
});
