/** A statement as CSV: the movements between a line with the opening and one with the closing balance. */
import { csvLine } from '../../base/csv.ts';
import type { Statement } from './statement.ts';

const columns = ['at', 'movement', 'cause', 'reference', 'order', 'amount', 'net', 'vat', 'vat_rate'] as const;

export function statementCsv({ opening, closing, lines }: Statement): string {
  const balance = (name: string, amount: string) => csvLine(['', '', name, '', '', amount, '', '', '']);
  return [
    csvLine(columns),
    balance('opening balance', opening),
    ...lines.map((line) => csvLine(columns.map((name) => line[name]))),
    balance('closing balance', closing),
  ].join('');
}
