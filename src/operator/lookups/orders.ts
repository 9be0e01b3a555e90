/** Orders of all customers. */
import { dateTime, decimal, text } from '../../jsonapi/attributes.ts';
import { anyId, anyOf, explained } from '../../jsonapi/filters.ts';
import { operatorType } from '../context.ts';
import { account, createdBetween, endless, partOf } from './common.ts';

const orderStatuses = { pending: 'Not complete yet.', completed: 'Handed over.', canceled: 'Ended and refunded.' };

export const orders = operatorType('orders', {
  group: 'Orders',
  noun: 'order',
  summary: 'A purchase, or another charge that a customer sees.',
  ...endless,
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
    reference_contains: explained('A part of the reference, at least three characters.', partOf('t.reference')),
    external_reference_id: anyOf('t.external_reference_id'),
    status: anyOf('t.status', { values: orderStatuses }),
    'account.id': anyId('t.account_id'),
    ...createdBetween,
  },
  sort: ['created_at', 'amount'],
  defaultSort: '-created_at',
  tieBreak: 't.seq desc',
});
