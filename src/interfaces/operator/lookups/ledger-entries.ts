/** The ledger of all customers. */
import { dateTime, decimal, integer, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf, explained } from '../../../engines/jsonapi/filters.ts';
import { operatorType } from '../context.ts';
import { account, createdBetween, endless } from './shared-filters.ts';

const ledgers = {
  customer: "The customer's balance.",
  holds: 'Money on hold for orders that are pending.',
  revenue: 'Earned, without VAT.',
  vat: 'VAT owed.',
  refunds: 'Given back of what was earned.',
  funding: 'Payments and corrections from outside.',
};

export const ledgerEntries = operatorType('ledger_entries', {
  group: 'Money',
  noun: ['ledger entry', 'ledger entries'],
  summary: 'One side of a movement of money; the sides of a movement sum to zero.',
  // The account of the movement, which is indexed in the order of the list.
  from: '(select e.transaction_id, e.ledger, e.amount, x.account_id, x.cause, x.reference, x.occasion, x.order_id, x.created_at from ledger_entries e join ledger_transactions x on x.id = e.transaction_id) t',
  idColumn: "md5(t.transaction_id::text || ' ' || t.ledger)::uuid",
  ...endless,
  endpoints: { read: false },
  attributes: {
    movement: integer({ column: 't.transaction_id', doc: 'The movement it is a side of.' }),
    ledger: text({ values: ledgers, doc: 'What it adds to, or takes from if it is negative.' }),
    amount: decimal({ doc: 'With its sign.' }),
    cause: text({ doc: 'Why the money moved.' }),
    reference: text({ doc: 'The id of what was charged, refunded or paid.' }),
    occasion: text({ doc: 'Which of several charges for the same reference.' }),
    created_at: dateTime({ doc: 'When it was booked.' }),
  },
  relationships: { account, order: toOne('orders', { nullable: true, doc: 'The order that shows it.' }) },
  filters: {
    ledger: anyOf('t.ledger', { values: ledgers }),
    cause: anyOf('t.cause'),
    reference: anyId('t.reference'),
    'account.id': anyId('t.account_id'),
    'order.id': anyId('t.order_id'),
    'order.reference': explained('The whole reference of the order.', {
      ...anyOf('o.reference'),
      where: (values, params, now) =>
        `t.order_id in (select o.id from orders o where ${anyOf('o.reference').where(values, params, now)})`,
    }),
    ...createdBetween,
  },
  sort: { created_at: 't.created_at' },
  defaultSort: '-created_at',
  tieBreak: 't.transaction_id desc, t.ledger',
});
