/** Invoices of a month: numbered without gaps, never changed; what they say is what the ledger earned in that month. */
import { type Kysely, sql } from 'kysely';
import { nameOf } from '../../../base/actor.ts';
import { OperatorError } from '../../../base/operator-error.ts';
import { withConstraintErrors } from '../../../base/violated-constraint.ts';
import { noAccount } from '../../../business/accounts/accounts.ts';
import { monthBounds } from '../../../business/billing/calendar.ts';
import { type InvoiceLine, shownLines } from '../../../business/statements/invoice.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { dateTime, decimal, integer, list, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyInteger, anyOf } from '../../../engines/jsonapi/filters.ts';
import { type Acting, act } from '../act.ts';
import { actingOf, operatorType, refusing } from '../context.ts';
import { createdBetween } from '../lookups/shared-filters.ts';

export const invoices = operatorType('invoices', {
  group: 'Money',
  noun: 'invoice',
  summary:
    'What a customer was charged in a month that has ended, with VAT. Invoices are numbered without gaps and never change.',
  attributes: {
    number: integer({ doc: 'One more than the invoice before it.' }),
    month: text({
      write: 'create',
      required: true,
      pattern: '^\\d{4}-(0[1-9]|1[0-2])$',
      column: `to_char(t.month, 'YYYY-MM')`,
      doc: 'Such as `2026-05`.',
    }),
    customer: text({ doc: 'The name of the customer at the time.' }),
    net: decimal({ doc: 'Without VAT.' }),
    vat: decimal({ doc: 'The VAT.' }),
    total: decimal({ column: '(t.net + t.vat)', doc: 'What was charged.' }),
    lines: list({ type: 'string' }, { column: shownLines, doc: 'Cause, VAT rate, net and VAT of each line.' }),
    actor: text({ doc: 'Who issued it.' }),
    created_at: dateTime({ doc: 'When it was issued.' }),
  },
  relationships: { account: toOne('accounts', { write: 'create', required: true, doc: 'The customer.' }) },
  filters: {
    id: anyId('t.id'),
    number: anyInteger('t.number'),
    month: anyOf(`to_char(t.month, 'YYYY-MM')`),
    'account.id': anyId('t.account_id'),
    ...createdBetween,
  },
  sort: ['number', 'created_at'],
  defaultSort: '-number',
  create: (context, { attributes, relationships }) =>
    refusing(() => issueInvoice(actingOf(context), relationships.account.id, attributes.month)),
});

/** Returns the invoice's id. */
export function issueInvoice(acting: Acting, accountId: string, month: string): Promise<string> {
  const { to } = monthBounds(month);
  const taken = () => new OperatorError(`The invoice for ${month} has been issued already.`);
  return withConstraintErrors({ invoices_month: taken }, () =>
    act(acting, async ({ db, clock }) => {
      const now = clock.now();
      if (to > now) throw new OperatorError(`${month} has not ended yet.`);
      const lines = await invoiceLines(db, accountId, month);
      if (lines.length === 0) throw new OperatorError(`Nothing was charged in ${month}.`);
      // Locks the row until the commit: the next invoice waits, and a number that is not used is given again.
      const { rows } = await sql<{ id: string; number: string; net: string; vat: string }>`
        with next as (update invoice_numbers set last = last + 1 returning last),
        sums as (
          select sum((l->>'net')::numeric) as net, sum((l->>'vat')::numeric) as vat
          from jsonb_array_elements(${JSON.stringify(lines)}::jsonb) l
        )
        insert into invoices (number, account_id, month, customer, net, vat, lines, actor, created_at)
        select next.last, a.id, ${`${month}-01`}::date, a.name, sums.net, sums.vat, ${JSON.stringify(lines)}::jsonb,
               ${nameOf(acting.by)}, ${now}
        from next, sums, accounts a where a.id = ${accountId}
        returning id, number, net, vat`.execute(db);
      const [issued] = rows;
      if (issued === undefined) throw noAccount(accountId);
      const { id, ...after } = issued;
      return {
        result: id,
        action: 'invoice.issued',
        accountId,
        subject: { type: 'invoices', id },
        after: { ...after, month },
      };
    }),
  );
}

async function invoiceLines(db: Kysely<Schema>, accountId: string, month: string): Promise<InvoiceLine[]> {
  const { from, to } = monthBounds(month);
  const { rows } = await sql<InvoiceLine>`
    select t.cause, coalesce(t.vat_rate, 0)::text as vat_rate,
           sum(e.amount) filter (where e.ledger in ('revenue', 'refunds')) as net,
           coalesce(sum(e.amount) filter (where e.ledger = 'vat'), 0) as vat
    from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
    where t.account_id = ${accountId} and t.created_at >= ${from} and t.created_at < ${to}
      and e.ledger in ('revenue', 'refunds', 'vat')
    group by t.cause, t.vat_rate
    having sum(e.amount) filter (where e.ledger in ('revenue', 'refunds')) is not null
    order by t.cause, t.vat_rate`.execute(db);
  return rows;
}
