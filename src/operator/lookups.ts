/** What an operator looks up across all accounts: numbers, orders, the ledger. */
import { dateTime, decimal, integer, text } from '../jsonapi/attributes.ts';
import { toOne } from '../jsonapi/declare.ts';
import { anyId, anyOf, contains, explained, since, until } from '../jsonapi/filters.ts';
import { operatorType } from './context.ts';

const account = toOne('accounts', { doc: 'The customer.' });

const created = {
  created_at_gteq: explained('Created at this time or later.', since('t.created_at')),
  created_at_lteq: explained('Created at this time or earlier.', until('t.created_at')),
};

const numberStates = {
  pending: 'Bought with an order that is not complete yet.',
  awaiting_registration: 'Waits for an approved address verification.',
  active: 'Takes calls.',
  blocked: 'Switched off by an operator.',
  terminated: 'Ends with its paid period.',
  expired: 'Its period has ended; it can be restored until it returns to stock.',
};

const numberState = `case
  when t.activated_at is null then 'pending'
  when t.expired_at is not null then 'expired'
  when t.awaiting_registration then 'awaiting_registration'
  when t.blocked_by_staff then 'blocked'
  when t.terminated then 'terminated'
  else 'active' end`;

export const numbers = operatorType('numbers', {
  group: 'Numbers',
  noun: 'number',
  summary: 'A number that a customer owns: whose, since when, where its calls go, and what happened to it.',
  table: 'dids',
  attributes: {
    number: text({ doc: 'With its country code and without `+`.' }),
    state: text({ values: numberStates, column: numberState, doc: 'What it does now.' }),
    owned_since: dateTime({ nullable: true, column: 't.activated_at', doc: 'When the customer got it.' }),
    expires_at: dateTime({ nullable: true, doc: 'When the period that is paid for ends.' }),
    description: text({ nullable: true, doc: "The customer's note." }),
    route: text({
      nullable: true,
      column: `coalesce(
        (select 'trunk ' || v.name from voice_in_trunks v where v.id = t.voice_in_trunk_id),
        (select 'trunk group ' || g.name from voice_in_trunk_groups g where g.id = t.voice_in_trunk_group_id))`,
      doc: 'The trunk or trunk group that takes its calls.',
    }),
    created_at: dateTime({ doc: 'When it was ordered.' }),
  },
  relationships: { account, order: toOne('orders', { doc: 'The order it was bought with.' }) },
  filters: {
    id: anyId('t.id'),
    number: anyOf('t.number'),
    number_contains: explained('A part of the number, at least three digits.', {
      ...contains('t.number'),
      facts: { match: 'contains', minLength: 3 },
    }),
    state: anyOf(numberState, { values: numberStates }),
    'account.id': anyId('t.account_id'),
    ...created,
  },
  sort: ['number', 'created_at', 'expires_at'],
  defaultSort: 'number',
});

const orderStatuses = { pending: 'Not complete yet.', completed: 'Handed over.', canceled: 'Ended and refunded.' };

export const orders = operatorType('orders', {
  group: 'Orders',
  noun: 'order',
  summary: 'A purchase, or another charge that a customer sees.',
  attributes: {
    reference: text({ doc: 'The short name people use for it.' }),
    description: text({ doc: 'What it is for.' }),
    status: text({ values: orderStatuses, doc: 'How far it is.' }),
    amount: decimal({ doc: 'The whole charge, with VAT.' }),
    refunded: decimal({ doc: 'What was given back of it.' }),
    external_reference_id: text({ nullable: true, doc: "The customer's own reference." }),
    created_at: dateTime({ doc: 'When it was made.' }),
    finished_at: dateTime({ nullable: true, doc: 'When it was completed or canceled.' }),
  },
  relationships: { account },
  filters: {
    id: anyId('t.id'),
    reference: anyOf('t.reference'),
    external_reference_id: anyOf('t.external_reference_id'),
    status: anyOf('t.status', { values: orderStatuses }),
    'account.id': anyId('t.account_id'),
    ...created,
  },
  sort: ['created_at', 'amount'],
  defaultSort: '-created_at',
  tieBreak: 't.seq desc',
});

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
  from: '(select e.*, x.cause, x.reference, x.occasion, x.order_id, x.created_at from ledger_entries e join ledger_transactions x on x.id = e.transaction_id) t',
  idColumn: "md5(t.transaction_id::text || ' ' || t.ledger)::uuid",
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
    ...created,
  },
  sort: ['created_at'],
  defaultSort: '-created_at',
  tieBreak: 't.transaction_id desc, t.ledger',
});
