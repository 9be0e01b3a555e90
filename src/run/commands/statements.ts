/**
 * `refund create`, `invoice issue|list|print`, `statement show`, `account erase`: the money of a customer, and its
 * data's end.
 */
import { writeFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { oneOf, text, wholeNumber } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { requireAccount } from '../../business/accounts/accounts.ts';
import { findInvoice, invoicePdf } from '../../business/statements/invoice.ts';
import { statementOf } from '../../business/statements/statement.ts';
import { statementCsv } from '../../business/statements/statement-csv.ts';
import { statementPdf } from '../../business/statements/statement-pdf.ts';
import type { Environment } from '../../engines/environment.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { eraseAccount } from '../../interfaces/operator/erasures.ts';
import { issueInvoice } from '../../interfaces/operator/money/invoices.ts';
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
      const invoice = await findInvoice(env.db, id, null);
      out(`Issued invoice ${invoice?.number} of ${account.name}: ${money(invoice?.total ?? '0')}.`);
    },
  }),
  environmentCommand({
    name: 'invoice list',
    summary: 'List invoices, newest first.',
    options: { account: { type: 'string', value: 'ACCOUNT', summary: 'only of this account' } },
    run: async ({ env, values, printTable }) => {
      const account = values.account === undefined ? null : await requireAccount(env, values.account);
      const invoices = await env.db
        .selectFrom('invoices')
        .selectAll()
        .$if(account !== null, (query) => query.where('account_id', '=', account?.id ?? ''))
        .orderBy('number', 'desc')
        .limit(200)
        .execute();
      const rows = invoices.map(({ number, month, customer, net, vat, created_at }) => [
        ...[String(number), String(month).slice(0, 7), customer, money(net), money(vat), moment(created_at)],
      ]);
      printTable(['number', 'month', 'customer', 'net', 'vat', 'issued'], rows, 'No invoice was issued.');
    },
  }),
  environmentCommand({
    name: 'invoice print',
    summary: 'Write an invoice as PDF.',
    positionals: ['NUMBER', 'FILE'],
    run: async ({ env, positionals: [number = '', file = ''], out }) => {
      const wanted = argument('NUMBER', number, wholeNumber(1, 999_999_999));
      const row = await env.db.selectFrom('invoices').select('id').where('number', '=', wanted).executeTakeFirst();
      const invoice = row === undefined ? null : await findInvoice(env.db, row.id, null);
      if (invoice === null) throw new OperatorError(`There is no invoice ${number}.`);
      await writeFile(file, await invoicePdf(invoice, env.seller, env.currency));
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
