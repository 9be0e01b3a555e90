/** What the account can spend: one row, updated by the ledger. */
import { fixedDecimal } from '../../../engines/jsonapi/attributes.ts';
import { owned } from '../declare.ts';

export const balances = owned('balances', {
  group: 'Account',
  noun: 'balance',
  summary: 'What the account has to spend.',
  path: '/balance',
  table: 'accounts',
  accountColumn: 't.id',
  singleton: true,
  paginated: false,
  attributes: {
    balance: fixedDecimal({ doc: 'Money that was paid in and not spent yet.' }),
    credit: fixedDecimal({ doc: 'How far the balance may go below zero.' }),
    total_balance: fixedDecimal({ column: '(t.balance + t.credit)', doc: 'What can be spent: balance and credit.' }),
  },
  endpoints: { list: false },
});
