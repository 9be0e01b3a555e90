/** A statement as PDF, for customers. */
import type { Seller } from '../../engines/environment.ts';
import { makePdf } from './pdf-document.ts';
import type { Statement } from './statement.ts';

export interface Parties {
  /** Who sells (`TRUNKLINE_SELLER`). */
  seller: Seller;
  /** The customer's name. */
  customer: string;
  /** When the file is made. */
  at: Date;
}

export function statementPdf(
  { month, currency, opening, closing, sums, lines }: Statement,
  parties: Parties,
): Promise<Buffer> {
  const { customer, at, seller } = parties;
  return makePdf({
    title: `Statement ${month}`,
    at,
    seller: sellerLines(seller),
    facts: [
      ['Customer', customer],
      ['Month', `${month} (UTC)`],
      ['Opening balance', `${shownAmount(opening)} ${currency}`],
      ['Closing balance', `${shownAmount(closing)} ${currency}`],
      ['All amounts are in', currency],
    ],
    tables: [
      {
        title: 'Sums',
        columns: [
          { title: 'Cause', width: 195 },
          { title: 'Movements', width: 60, align: 'right' },
          ...['Balance', 'Net', 'VAT'].map((title) => ({ title, width: 80, align: 'right' }) as const),
        ],
        rows: sums.map((sum) => [
          shownCause(sum.cause),
          String(sum.count),
          ...[sum.amount, sum.net, sum.vat].map(shownAmount),
        ]),
      },
      {
        title: 'Movements',
        columns: [
          { title: 'Time (UTC)', width: 90 },
          { title: 'Cause', width: 95 },
          { title: 'Order or reference', width: 100 },
          ...['Balance', 'Net', 'VAT'].map((title) => ({ title, width: 55, align: 'right' }) as const),
          { title: 'VAT %', width: 45, align: 'right' },
        ],
        rows: lines.map((line) => [
          line.at.toISOString().slice(0, 19).replace('T', ' '),
          shownCause(line.cause),
          line.order ?? line.reference,
          ...[line.amount, line.net, line.vat].map(shownAmount),
          line.vat_rate === null ? '' : shownAmount(line.vat_rate),
        ]),
      },
    ],
  });
}

/** Name, address and VAT id, line by line. */
const sellerLines = ({ lines, vatId }: Seller): string[] => [...lines, ...(vatId === null ? [] : [`VAT id ${vatId}`])];

/** Two decimals, or as many as are not zero. */
export const shownAmount = (text: string): string => {
  const [whole = '0', fraction = ''] = text.split('.');
  return `${whole}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`;
};

/** `pool_renewal` as words. */
export const shownCause = (cause: string): string => cause.replaceAll('_', ' ');
