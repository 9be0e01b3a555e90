/**
 * `refund create`, `invoice preview|issue|issue-all|list|print`, `statement show`, `account erase`: the money of a
 * customer, and the end of its data.
 */
import { writeFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { oneOf, text, wholeNumber } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { requireAccount } from '../../business/accounts/accounts.ts';
import { billPdf } from '../../business/statements/bill-pdf.ts';
import { findInvoice, shownReference } from '../../business/statements/invoice.ts';
import { statementOf } from '../../business/statements/statement.ts';
import { statementCsv } from '../../business/statements/statement-csv.ts';
import { statementPdf } from '../../business/statements/statement-pdf.ts';
import { ublOf, unfitForUbl } from '../../business/statements/ubl.ts';
import type { Environment } from '../../engines/environment.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { eraseAccount } from '../../interfaces/operator/erasures.ts';
import { issueAllBills, previewBills } from '../../interfaces/operator/money/bill-schedule.ts';
import { issueInvoice } from '../../interfaces/operator/money/issue-bills.ts';
import { refundOrder } from '../../interfaces/operator/money/refunds.ts';
import { argument, option } from './command.ts';
import { confirmedCommand } from './confirmed-command.ts';
import { environmentCommand } from './open-environment.ts';
import { moment, money } from './output.ts';

const reason = { type: 'string', value: 'TEXT', summary: 'why; kept in the audit log' } as const;
const json = { type: 'boolean', summary: 'print JSON' } as const;
const monthOf = (given: string) => argument('MONTH', given, text(/^\d{4}-(0[1-9]|1[0-2])$/, 'a month such as 2026-05'));

export const statementsCommands = [
  environmentCommand({
    name: 'refund create',
    summary: 'Give back an item of a completed order, all that is left of it or a part.',
    positionals: ['ORDER'],
    options: {
      position: { type: 'string', value: 'N', summary: 'the item of the order (1)' },
      amount: { type: 'string', value: 'AMOUNT', summary: 'with VAT; all that is left when left out' },
      reason,
    },
    notes: 'ORDER is the reference of an order, such as ABC-123456, or its id.',
    run: async ({ env, values, positionals: [wanted = ''], out }) => {
      const order = await env.db
        .selectFrom('orders')
        .select(['id', 'reference'])
        .where((row) => row.or([row('reference', '=', wanted), row(row.cast<string>('id', 'text'), '=', wanted)]))
        .executeTakeFirst();
      if (order === undefined) throw new OperatorError(`There is no order ${wanted}.`);
      const position = option('position', values.position, wholeNumber(1, 1000));
      const amount = option('amount', values.amount, text(/^\d{1,12}(\.\d{1,4})?$/, 'an amount such as 2.50'));
      const id = await refundOrder(atCommandLine(env), order.id, {
        reason: values.reason ?? '',
        ...(position === undefined ? {} : { position }),
        ...(amount === undefined ? {} : { amount }),
      });
      const refund = await env.db.selectFrom('refunds').select('amount').where('id', '=', id).executeTakeFirstOrThrow();
      out(`Gave back ${money(refund.amount)} of ${order.reference}.`);
    },
  }),
  environmentCommand({
    name: 'invoice issue',
    summary: 'Issue the invoice of an account for a month that has ended.',
    positionals: ['ACCOUNT', 'MONTH'],
    options: { reason },
    run: async ({ env, values, positionals: [wanted = '', month = ''], out }) => {
      const account = await requireAccount(env, wanted);
      const id = await issueInvoice(atCommandLine(env, values.reason), account.id, monthOf(month));
      const invoice = await findInvoice(env, id, null);
      out(`Issued ${invoice?.reference} of ${account.name}: ${invoice?.document.total} ${env.currency}.`);
    },
  }),
  environmentCommand({
    name: 'invoice preview',
    summary: 'Show the bills that would be issued for a month; issues nothing.',
    positionals: ['MONTH'],
    run: async ({ env, positionals: [month = ''], printTable }) => {
      const bills = await previewBills(env, monthOf(month));
      const rows = bills.map(({ account, kind, net, vat, total, problem }) => [
        ...[account, kind.replace('_', ' '), net, vat, `${total} ${env.currency}`, problem ?? ''],
      ]);
      printTable(['account', 'kind', 'net', 'vat', 'total', 'problem'], rows, 'There is nothing to bill.');
    },
  }),
  environmentCommand({
    name: 'invoice issue-all',
    summary: 'Issue the bills of all accounts with a billing profile for a month that has ended.',
    positionals: ['MONTH'],
    options: { reason },
    run: async ({ env, values, positionals: [month = ''], out }) => {
      const issued = await issueAllBills(atCommandLine(env, values.reason), monthOf(month));
      out(`Issued the bills of ${issued} ${issued === 1 ? 'account' : 'accounts'}.`);
    },
  }),
  environmentCommand({
    name: 'invoice list',
    summary: 'List invoices, newest first.',
    options: { account: { type: 'string', value: 'ACCOUNT', summary: 'only of this account' } },
    run: async ({ env, values, printTable }) => {
      const account = values.account === undefined ? null : await requireAccount(env, values.account);
      const { rows: invoices } = await sql<ListedInvoice>`
        select ${sql.raw(shownReference)} as reference, to_char(t.month, 'YYYY-MM') as month, t.customer, t.net, t.vat,
               coalesce(t.document->>'currency', '') as currency, t.created_at
        from invoices t where ${account?.id ?? null}::uuid is null or t.account_id = ${account?.id ?? null}::uuid
        order by t.created_at desc, t.kind desc, t.number desc limit 200`.execute(env.db);
      const rows = invoices.map(({ reference, month, customer, net, vat, currency, created_at }) => [
        ...[reference, month, customer, money(net), money(vat), currency, moment(created_at)],
      ]);
      const headings = ['number', 'month', 'customer', 'net', 'vat', 'currency', 'issued'];
      printTable(headings, rows, 'No invoice was issued.');
    },
  }),
  environmentCommand({
    name: 'invoice print',
    summary: 'Write an invoice or a credit note as PDF, or as an e-invoice if the file ends in .xml.',
    positionals: ['NUMBER', 'FILE'],
    notes: 'NUMBER is what is printed on it, such as INV-000012.',
    run: async ({ env, positionals: [number = '', file = ''], out }) => {
      const { rows } = await sql<{ id: string }>`
        select t.id from invoices t where ${sql.raw(shownReference)} = ${number}`.execute(env.db);
      const invoice = rows[0] === undefined ? null : await findInvoice(env, rows[0].id, null);
      if (invoice === null) throw new OperatorError(`There is no invoice ${number}.`);
      const unfit = file.endsWith('.xml') ? unfitForUbl(invoice.document) : null;
      if (unfit !== null) throw new OperatorError(unfit);
      await writeFile(file, file.endsWith('.xml') ? ublOf(invoice.document) : await billPdf(invoice.document));
      out(`Wrote ${file}.`);
    },
  }),
  environmentCommand({
    name: 'statement show',
    summary: 'Show what moved the balance of an account in a month, or write it as CSV or PDF.',
    positionals: ['ACCOUNT', 'MONTH'],
    options: {
      format: { type: 'string', value: 'csv|pdf', summary: 'the form of the file (csv)' },
      to: { type: 'string', value: 'FILE', summary: 'write a file; a PDF needs one' },
      json,
    },
    run: async ({ env, values, positionals: [wanted = '', month = ''], out }) => {
      const account = await requireAccount(env, wanted);
      const statement = await statementOf(env, account.id, monthOf(month));
      const format = option('format', values.format, oneOf('csv', 'pdf')) ?? 'csv';
      if (values.json) return out(JSON.stringify(statement));
      if (format === 'pdf' && values.to === undefined) throw new OperatorError('A PDF needs --to FILE.');
      if (values.to === undefined) return out(statementCsv(statement).trimEnd());
      const parties = { seller: env.seller, customer: account.name, at: env.clock.now() };
      await writeFile(values.to, format === 'pdf' ? await statementPdf(statement, parties) : statementCsv(statement));
      out(`Wrote ${values.to}.`);
    },
  }),
  confirmedCommand({
    name: 'account erase',
    summary: 'Erase the personal data of a closed account without numbers; the books are kept.',
    positionals: ['ACCOUNT'],
    run: async ({ env, reason, positionals: [wanted = ''] }) => {
      const account = await requireAccount(env, wanted);
      const id = await eraseAccount(atCommandLine(env), account.id, reason);
      return {
        concerned: account.name,
        effects: await proofOf(env, id),
        done: `Erased the personal data of ${account.id}; the proof is the erasure ${id}.`,
      };
    },
  }),
];

interface ListedInvoice {
  reference: string;
  month: string;
  customer: string;
  net: string;
  vat: string;
  currency: string;
  created_at: Date;
}

/** What was erased, and what was kept and why. */
async function proofOf({ db }: Environment, erasureId: string): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select 'erased, ' || key || ': ' || value as line from erasures, jsonb_each_text(erased) where id = ${erasureId}
    union all
    select 'kept, ' || key || ': ' || (value ->> 'count') || ' (' || (value ->> 'why') || ')'
    from erasures, jsonb_each(kept) where id = ${erasureId}
  `.execute(db);
  return rows.map(({ line }) => line);
}
