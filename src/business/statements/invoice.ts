/** An invoice as it was issued, and as PDF. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import type { Seller } from '../../engines/environment.ts';
import { parseAmount, toSql } from '../money/decimal.ts';
import { makePdf } from './pdf-document.ts';
import { sellerLines, shownAmount, shownCause } from './statement-pdf.ts';

export interface InvoiceLine {
  cause: string;
  vat_rate: string;
  net: string;
  vat: string;
}

export interface Invoice {
  id: string;
  account_id: string;
  number: string;
  month: string;
  customer: string;
  net: string;
  vat: string;
  total: string;
  lines: InvoiceLine[];
  created_at: Date;
}

/** SQL for the lines as texts: cause, VAT rate, net and VAT. */
export const shownLines = `array(select concat_ws(' | ', l->>'cause', l->>'vat_rate', l->>'net', l->>'vat') from jsonb_array_elements(t.lines) l)`;

/** By its id; null if there is none, or if it belongs to another account than the given one. */
export async function findInvoice(db: Kysely<Schema>, id: string, accountId: string | null): Promise<Invoice | null> {
  const { rows } = await sql<Invoice>`
    select id, account_id, number::text, to_char(month, 'YYYY-MM') as month, customer, net, vat, (net + vat)::text as total,
           lines, created_at
    from invoices where id = ${id} and (${accountId}::uuid is null or account_id = ${accountId}::uuid)`.execute(db);
  return rows[0] ?? null;
}

export function invoicePdf(invoice: Invoice, seller: Seller, currency: string): Promise<Buffer> {
  const { number, month, customer, created_at: issued } = invoice;
  return makePdf({
    title: `Invoice ${number}`,
    at: issued,
    seller: sellerLines(seller),
    facts: [
      ['Number', number],
      ['Date', issued.toISOString().slice(0, 10)],
      ['Customer', customer],
      ['Services of', month],
      ['Net', shownAmount(invoice.net)],
      ['VAT', shownAmount(invoice.vat)],
      ['Total, paid from the balance', `${shownAmount(invoice.total)} ${currency}`],
    ],
    tables: [
      {
        title: 'Services',
        columns: [
          { title: 'Service', width: 215 },
          ...['VAT %', 'Net', 'VAT', 'Gross'].map((title) => ({ title, width: 70, align: 'right' }) as const),
        ],
        rows: invoice.lines.map((line) => [
          shownCause(line.cause),
          ...[line.vat_rate, line.net, line.vat, grossOf(line)].map(shownAmount),
        ]),
      },
    ],
  });
}

const grossOf = ({ net, vat }: InvoiceLine): string => toSql(parseAmount(net) + parseAmount(vat));
