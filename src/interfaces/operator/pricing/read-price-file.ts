/** Reads the CSV file of a price list, and compares it with the prices that hold now. */

import { OperatorError } from '../../../base/operator-error.ts';
import { inSlices, piecesOf } from '../../../base/slices.ts';
import { RecordError } from '../../../business/catalogue/import-errors.ts';
import { readCsvRecords } from '../../../business/catalogue/read-files.ts';
import type { RunQuery } from '../../../engines/jsonapi/sql.ts';
import type { Column, PriceKind, PriceScope } from './price-kinds.ts';

interface LineError {
  line: number;
  message: string;
}

/** A file with wrong lines: nothing of it is imported. */
export class PriceFileError extends OperatorError {
  readonly lines: readonly LineError[];

  constructor(lines: readonly LineError[], count: number) {
    const shown = lines.map(({ line, message }) => `  line ${line}: ${message}`);
    if (count > lines.length) shown.push(`  and ${count - lines.length} more`);
    super(`${count === 1 ? 'One line of the file is' : `${count} lines of the file are`} wrong.\n${shown.join('\n')}`);
    this.lines = lines;
  }
}

/** How many wrong lines are described. */
const mostErrors = 100;

type Prices = Readonly<Record<string, string | null>>;

export interface ComparedLine {
  /** Null for a price that the file leaves out. */
  line: number | null;
  subject: string;
  change: 'new' | 'changed' | 'removed' | 'unchanged';
  before: Prices | null;
  after: Prices | null;
}

export interface PricedLine {
  line: number;
  prices: Prices;
}

/** Reads all lines, or throws a `PriceFileError` that names the wrong ones. Returns what is priced → its line. */
export async function readPriceFile(kind: PriceKind, csv: string): Promise<Map<string, PricedLine>> {
  const found = new Map<string, PricedLine>();
  const errors: LineError[] = [];
  const addLine = (line: number, value: unknown) => {
    if (value instanceof RecordError) throw value;
    const prices = pricesOf(kind, line, value as Record<string, string>);
    const subject = subjectOf(kind, prices);
    const known = found.get(subject);
    if (known !== undefined) throw new RecordError(line, `it prices the same as line ${known.line}`);
    found.set(subject, { line, prices });
  };
  try {
    for await (const records of readCsvRecords(piecesOf(csv))) {
      for (const { line, value } of records) attempt(errors, () => addLine(line, value));
    }
  } catch (error) {
    // The header is wrong.
    attempt(errors, () => {
      throw error;
    });
  }
  if (errors.length === 0 && found.size === 0) errors.push({ line: 1, message: 'there is no price in the file' });
  if (errors.length > 0) throw new PriceFileError(errors.slice(0, mostErrors), errors.length);
  return found;
}

function attempt(errors: LineError[], work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof RecordError)) throw error;
    errors.push({ line: error.line, message: error.message });
  }
}

function pricesOf({ keys, values, remarks }: PriceKind, line: number, cells: Record<string, string>): Prices {
  const columns = [...keys, ...values];
  const unknown = Object.keys(cells).find(
    (name) => !remarks.includes(name) && !columns.some((column) => column.name === name),
  );
  if (unknown !== undefined) {
    const names = columns.map(({ name }) => name).join(', ');
    throw new RecordError(line, `the column "${unknown}" is not known; the columns are ${names}`);
  }
  return Object.fromEntries(columns.map((column) => [column.name, storedCell(column, line, cells[column.name])]));
}

function storedCell({ name, parse, form, fallback }: Column, line: number, cell: string | undefined): string | null {
  if (cell === undefined) {
    if (fallback === undefined) throw new RecordError(line, `${name} is missing`);
    return fallback;
  }
  const stored = parse(cell);
  if (stored === null) throw new RecordError(line, `${name} is "${cell.slice(0, 40)}", but must be ${form}`);
  return stored;
}

const subjectOf = ({ keys }: PriceKind, prices: Prices): string =>
  keys.map(({ name }) => prices[name] || (name === 'prefix' ? 'all' : '')).join(' ');

/** The lines of a file, and what it leaves out, compared with the prices that hold now. */
export async function compareWithCurrent(
  kind: PriceKind,
  { accountId, carrierId }: PriceScope,
  file: ReadonlyMap<string, PricedLine>,
  query: RunQuery,
): Promise<ComparedLine[]> {
  const columns = [...kind.keys, ...kind.values].map(({ name }) => name);
  const current = new Map<string, Prices>();
  await inSlices(await query(kind.current, [accountId, carrierId]), (row) => {
    const prices = Object.fromEntries(columns.map((name) => [name, row[name] === null ? null : String(row[name])]));
    current.set(subjectOf(kind, prices), prices);
  });
  if (!kind.replaces) requireKnown(file, current);
  const compared: ComparedLine[] = [];
  await inSlices(file, ([subject, { line, prices: after }]) => {
    const before = current.get(subject) ?? null;
    const isSame = before !== null && columns.every((name) => before[name] === after[name]);
    const change = before === null ? 'new' : isSame ? 'unchanged' : 'changed';
    compared.push({ line, subject, change, before, after });
  });
  if (!kind.replaces) return compared;
  await inSlices(current, ([subject, before]) => {
    if (!file.has(subject)) compared.push({ line: null, subject, change: 'removed', before, after: null });
  });
  return compared;
}

/** Prices of what does not exist: a list cannot create an offer. */
function requireKnown(file: ReadonlyMap<string, PricedLine>, current: ReadonlyMap<string, Prices>): void {
  const unknown = [...file].filter(([subject]) => !current.has(subject));
  if (unknown.length === 0) return;
  const lines = unknown.map(([subject, { line }]) => ({ line, message: `there is nothing to sell called ${subject}` }));
  throw new PriceFileError(lines.slice(0, mostErrors), lines.length);
}
