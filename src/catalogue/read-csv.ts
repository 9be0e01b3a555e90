/** Reads CSV with a header line (RFC 4180: quotes, doubled quotes, line breaks inside quotes) as objects by column name. */
import { type RawRecord, RecordError } from './raw-record.ts';

/** A quoted value that never ends is noticed after this many characters. */
const longestRecord = 1 << 20;

export async function* readCsvRecords(chunks: AsyncIterable<string>): AsyncGenerator<RawRecord[]> {
  let header: string[] | undefined;
  for await (const lines of linesOf(chunks)) {
    const records: RawRecord[] = [];
    for (const { line, text } of lines) {
      if (text === '') continue;
      const cells = text.includes('"') ? quotedCells(text) : text.split(',');
      if (cells === undefined) {
        records.push({ line, value: new RecordError(line, 'quotes must enclose a whole value') });
        continue;
      }
      if (header === undefined) {
        header = cells.map((name) => name.trim());
        continue;
      }
      if (cells.length !== header.length) {
        const wrong = `${cells.length} values where the header names ${header.length} columns`;
        records.push({ line, value: new RecordError(line, wrong) });
        continue;
      }
      const value: Record<string, string> = {};
      for (let i = 0; i < header.length; i++) {
        const cell = cells[i]?.trim();
        if (cell) value[header[i] ?? ''] = cell;
      }
      records.push({ line, value });
    }
    yield records;
  }
}

interface Line {
  line: number;
  text: string;
}

/** Lines as CSV means them: a line break inside quotes does not end one. */
async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<Line[]> {
  let rest = '';
  let line = 1;
  for await (const chunk of chunks) {
    const text = line === 1 && rest === '' ? chunk.replace(/^\uFEFF/, '') : rest + chunk;
    const lines: Line[] = [];
    let from = 0;
    let open = false;
    let breaks = 0;
    let quote = text.indexOf('"');
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
      for (; quote !== -1 && quote < end; quote = text.indexOf('"', quote + 1)) open = !open;
      breaks++;
      if (open) continue;
      lines.push({ line, text: withoutReturn(text.slice(from, end)) });
      from = end + 1;
      line += breaks;
      breaks = 0;
    }
    rest = text.slice(from);
    if (rest.length > longestRecord) throw new RecordError(line, 'a quoted value does not end');
    yield lines;
  }
  if (rest !== '') yield [{ line, text: withoutReturn(rest) }];
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

const cell = /\s*(?:"((?:[^"]|"")*)"|([^",]*))\s*(,|$)/y;

function quotedCells(text: string): string[] | undefined {
  const cells: string[] = [];
  cell.lastIndex = 0;
  for (;;) {
    const match = cell.exec(text);
    if (!match) return undefined;
    cells.push(match[1] === undefined ? (match[2] ?? '') : match[1].replaceAll('""', '"'));
    if (match[3] === '') return cells;
  }
}
