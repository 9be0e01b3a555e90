/** A statement as CSV: the movements between a line with the opening and one with the closing balance. */
import { csvLine } from '../../base/csv.ts';
import type { Statement } from './statement.ts';

const columns = [
  'at',
  'movement',
  'cause',
  'reference',
  'order',
  'amount',
  'net',
  'vat',
  'vat_rate',
  'currency',
] as const;

export function statementCsv({ opening, closing, currency, lines }: Statement): string {
  const balance = (name: string, amount: string) => csvLine(['', '', name, '', '', amount, '', '', '', currency]);
  return [
    csvLine(columns),
    balance('opening balance', opening),
    ...lines.map((line) => csvLine(columns.map((name) => (name === 'currency' ? currency : line[name])))),
    balance('closing balance', closing),
  ].join('');
}
