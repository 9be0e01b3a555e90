import { fixedDecimal } from '../../jsonapi/attributes.ts';
import { owned } from '../declare.ts';

/** What the account has to spend: one row, kept by the ledger. */
export const balances = owned('balances', {
  group: 'Account',
  summary: 'What the account has to spend.',
  path: '/balance',
  table: 'accounts',
  accountColumn: 't.id',
  singleton: true,
  paginated: false,
  attributes: {
    balance: fixedDecimal(),
    credit: fixedDecimal(),
    total_balance: fixedDecimal({ column: '(t.balance + t.credit)' }),
  },
  endpoints: { list: false },
});
