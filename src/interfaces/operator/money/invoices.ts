/** Invoices and credit notes: numbered without gaps, never changed; they say what the ledger booked in a month. */
import { shownLines, shownReference } from '../../../business/statements/invoice.ts';
import { dateTime, decimal, integer, list, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyInteger, anyOf } from '../../../engines/jsonapi/filters.ts';
import { actingOf, operatorType, refusing } from '../context.ts';
import { createdBetween } from '../lookups/shared-filters.ts';
import { issueInvoice } from './issue-bills.ts';

const kinds = { invoice: 'What was charged.', credit_note: 'What was given back.' };

export const invoices = operatorType('invoices', {
  group: 'Money',
  noun: 'invoice',
  summary:
    'What a customer was charged in a month that has ended, and what was given back. Invoices and credit notes are numbered without gaps, each in its series, and never change.',
  attributes: {
    kind: text({ values: kinds, doc: 'Which of the two.' }),
    number: integer({ doc: 'One more than the one before it in its series.' }),
    reference: text({ column: shownReference, doc: 'As it is printed.' }),
    month: text({
      write: 'create',
      required: true,
      pattern: '^\\d{4}-(0[1-9]|1[0-2])$',
      column: `to_char(t.month, 'YYYY-MM')`,
      doc: 'Such as `2026-05`.',
    }),
    customer: text({ doc: 'The name of the customer at the time.' }),
    currency: text({ nullable: true, column: `t.document->>'currency'`, doc: 'Null for those of before it was kept.' }),
    net: decimal({ doc: 'Without VAT.' }),
    vat: decimal({ doc: 'The VAT.' }),
    total: decimal({ column: '(t.net + t.vat)', doc: 'What was charged, or given back.' }),
    ledger_net: decimal({
      column: 'coalesce(t.ledger_net, t.net)',
      doc: 'What the ledger booked, exactly; negative for a credit note.',
    }),
    ledger_vat: decimal({ column: 'coalesce(t.ledger_vat, t.vat)', doc: 'Its VAT.' }),
    lines: list(
      { type: 'string' },
      { column: shownLines, doc: 'Cause, VAT rate, net and VAT in the ledger, one for each cause and rate.' },
    ),
    actor: text({ doc: 'Who issued it.' }),
    created_at: dateTime({ doc: 'When it was issued.' }),
  },
  relationships: { account: toOne('accounts', { write: 'create', required: true, doc: 'The customer.' }) },
  filters: {
    id: anyId('t.id'),
    kind: anyOf('t.kind', { values: kinds }),
    number: anyInteger('t.number'),
    reference: anyOf(shownReference),
    month: anyOf(`to_char(t.month, 'YYYY-MM')`),
    'account.id': anyId('t.account_id'),
    ...createdBetween,
  },
  sort: ['number', 'created_at'],
  defaultSort: '-created_at',
  create: (context, { attributes, relationships }) =>
    refusing(() => issueInvoice(actingOf(context), relationships.account.id, attributes.month)),
});
