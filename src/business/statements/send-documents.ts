/** Statements and invoices as HTTP responses, for operators and for the panel: JSON, CSV, PDF or XML. */
import type { FastifyReply } from 'fastify';
import { ApiError, errors, invalid } from '../../engines/jsonapi/errors.ts';
import { billPdf } from './bill-pdf.ts';
import type { Invoice } from './invoice.ts';
import type { Statement } from './statement.ts';
import { statementCsv } from './statement-csv.ts';
import { type Parties, statementPdf } from './statement-pdf.ts';
import { ublOf, unfitForUbl } from './ubl.ts';

export const statementForms = ['', '.csv', '.pdf'] as const;
/** The end of the route's path; nothing for JSON. */
type StatementForm = (typeof statementForms)[number];

export async function sendStatement(
  reply: FastifyReply,
  form: StatementForm,
  statement: Statement,
  parties: Parties,
): Promise<FastifyReply> {
  reply.header('cache-control', 'no-store');
  if (form === '') return reply.send(statement);
  const name = `statement-${statement.month}${form}`;
  if (form === '.pdf') return sendPdf(reply, name, await statementPdf(statement, parties));
  return asFile(reply, name).type('text/csv; charset=utf-8').send(statementCsv(statement));
}

/** Of an invoice: to read, and for programs (UBL, EN 16931). */
export const invoiceForms = ['.pdf', '.xml'] as const;

export async function sendInvoice(
  reply: FastifyReply,
  form: (typeof invoiceForms)[number],
  invoice: Invoice | null,
): Promise<FastifyReply> {
  if (invoice === null) throw new ApiError([errors.recordNotFound('this invoice')]);
  const { kind, reference, document } = invoice;
  reply.header('cache-control', 'no-store');
  const name = `${kind === 'invoice' ? 'invoice' : 'credit-note'}-${reference}${form}`;
  if (form === '.pdf') return sendPdf(reply, name, await billPdf(document));
  const unfit = unfitForUbl(document);
  if (unfit !== null) throw new ApiError([invalid.base(unfit)]);
  return asFile(reply, name).type('application/xml; charset=utf-8').send(ublOf(document));
}

/** A month such as `2026-05`. */
export function checkedMonth(month: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) throw new ApiError([errors.invalidFieldValue(month, 'month')]);
  return month;
}

const asFile = (reply: FastifyReply, name: string): FastifyReply =>
  reply.header('content-disposition', `attachment; filename="${name}"`);

const sendPdf = (reply: FastifyReply, name: string, file: Buffer): FastifyReply =>
  asFile(reply, name).type('application/pdf').send(file);
