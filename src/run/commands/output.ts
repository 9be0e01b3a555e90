/**
 * What commands print: tables, amounts, times, and the progress of long work. By hand: some lines for what cli-table3
 * and cli-progress would bring.
 */
/** The columns of the terminal that is written to; as many as one likes where that is a file or another program. */
export const terminalWidth = (): number => (process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY);

const gap = 2;
/** Below this a column of sentences is not readable any more. */
const narrowest = 12;

type Rows = readonly (readonly string[])[];

/**
 * Formats rows as a table with aligned columns, or returns one sentence if there are none. In a narrow terminal long
 * texts go on in the next line; where that is not enough, each row becomes a block with a line for each column.
 */
export function table(headings: readonly string[], rows: Rows, none: string, width = terminalWidth()): string[] {
  if (rows.length === 0) return [none];
  const lines = [headings, ...rows];
  const columns = headings.map((_heading, column) => lines.map((line) => line[column] ?? ''));
  const widths = fitting(columns, width - gap * (headings.length - 1));
  if (widths === null) return blocks(headings, rows);
  return lines.flatMap((line) => {
    const cells = widths.map((size, column) => wrapped(line[column] ?? '', size));
    return Array.from({ length: Math.max(...cells.map(({ length }) => length)) }, (_, index) =>
      cells
        .map((cell, column) => (cell[index] ?? '').padEnd(widths[column] ?? 0))
        .join(' '.repeat(gap))
        .trimEnd(),
    );
  });
}

/** How wide each column is; null if they do not fit. The widest gives way first, as far as its longest word. */
function fitting(columns: Rows, width: number): number[] | null {
  const widths = columns.map((cells) => Math.max(...cells.map(({ length }) => length)));
  const least = columns.map((cells, column) => {
    const longestWord = Math.max(...cells.flatMap((cell) => cell.split(' ').map(({ length }) => length)));
    return Math.min(widths[column] ?? 0, Math.max(longestWord, narrowest));
  });
  const excess = () => widths.reduce((sum, size) => sum + size, 0) - width;
  while (excess() > 0) {
    const room = widths.map((size, column) => (size > (least[column] ?? 0) ? size : 0));
    const widest = room.indexOf(Math.max(...room));
    if (room[widest] === 0) return null;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** At spaces; a word that is longer than a line stays whole. */
export function wrapped(text: string, width: number): string[] {
  if (text.length <= width) return [text];
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function blocks(headings: readonly string[], rows: Rows): string[] {
  const size = Math.max(...headings.map(({ length }) => length));
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...headings.flatMap((heading, column) => (row[column] ? [`${heading.padEnd(size)}  ${row[column]}`] : [])),
  ]);
}

/** An amount of money as every command prints it: two decimals, or as many as it has beyond them. */
export function money(amount: string): string {
  const [whole = '0', fraction = ''] = amount.split('.');
  return `${whole}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`;
}

/** A member of a record of any kind, whose decimals are amounts. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return moment(value);
  if (typeof value === 'object') return JSON.stringify(value);
  const text = String(value);
  return typeof value === 'string' && /^-?\d+\.\d+$/.test(text) ? money(text) : text;
}

/** A time in UTC to the second, for comparison with a log. */
export function moment(at: Date | null): string {
  return at === null ? '' : at.toISOString().replace('T', ' ').slice(0, 19);
}

/** Reports `done` of `of`, in any unit. */
type Progress = (label: string, done: number, of: number) => void;

interface Output {
  isTTY?: boolean;
  write(text: string): unknown;
}

const barWidth = 30;

export function showProgress(output: Output = process.stderr): Progress {
  return output.isTTY ? bar(output) : lines(output);
}

function bar(output: Output): Progress {
  let shown = '';
  return (label, done, of) => {
    const share = of === 0 ? 1 : Math.min(1, done / of);
    const filled = Math.round(share * barWidth);
    const text = `${label} [${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}] ${Math.floor(share * 100)} %`;
    if (text === shown) return;
    shown = text;
    output.write(`\r\x1b[K${text}${share === 1 ? '\n' : ''}`);
  };
}

function lines(output: Output): Progress {
  const reached = new Map<string, number>();
  return (label, done, of) => {
    const tenth = of === 0 ? 10 : Math.floor((done * 10) / of);
    if (tenth <= (reached.get(label) ?? 0)) return;
    reached.set(label, tenth);
    output.write(`${label}: ${tenth * 10} %\n`);
  };
}
