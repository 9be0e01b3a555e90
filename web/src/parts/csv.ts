/** All pages of a list as one CSV file, for people who go on in a spreadsheet. */
import type { Many, Resource } from '../api/documents.ts';
import { get } from '../api/request.ts';
import type { Path } from '../api/routes.ts';
import { plainNumbers } from './phone-number.ts';

interface CsvColumn<R> {
  header: string;
  text: (record: R, document: Many<R>) => string;
}

const pageSize = 100;
const mostPages = 1_000;

/** `pathOf` gives the path of a page; `onProgress` hears how many records there are so far. */
export async function downloadCsv<R extends Resource>(
  name: string,
  columns: readonly CsvColumn<R>[],
  pathOf: (page: number, size: number) => Path<Many<R>>,
  onProgress: (count: number) => void,
): Promise<void> {
  const lines = [titles(columns)];
  for (let page = 1; page <= mostPages; page += 1) {
    const answer = await get(pathOf(page, pageSize));
    lines.push(...linesOf(columns, answer));
    onProgress(lines.length - 1);
    if (answer.data.length < pageSize) break;
  }
  save(name, lines);
}

/** Rows that the page has already. */
export const saveCsv = <R>(name: string, columns: readonly CsvColumn<R>[], document: Many<R>): void =>
  save(name, [titles(columns), ...linesOf(columns, document)]);

const titles = <R>(columns: readonly CsvColumn<R>[]): string => columns.map(({ header }) => cell(header)).join(',');
const linesOf = <R>(columns: readonly CsvColumn<R>[], document: Many<R>): string[] =>
  document.data.map((record) => columns.map(({ text }) => cell(plainNumbers(text(record, document)))).join(','));

function save(name: string, lines: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([`${lines.join('\r\n')}\r\n`], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}

/** A text that a spreadsheet would take for a formula gets an apostrophe before it. */
function cell(text: string): string {
  const harmless = /^[=+@\-\t\r]/.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}
