/**
 * Reads the records of an import file, CSV or JSON, without holding the whole file in memory. By hand: after a wrong
 * line it goes on, and names the line of each; csv-parse loses its place.
 */
import { type RawRecord, RecordError } from './import-errors.ts';

/** Maximum length of a record: protects against a quoted value that never ends. */
const longestRecord = 1 << 20;

/** `columns` are the allowed column names; the first is required. A header with `type` may name any column. */
export async function* readCsvRecords(
  chunks: AsyncIterable<string>,
  columns: readonly string[] = [],
): AsyncGenerator<RawRecord[]> {
  let header: string[] | undefined;
  for await (const lines of linesOf(chunks)) {
    const records: RawRecord[] = [];
    for (const { line, text } of lines) {
      if (text === '') continue;
      const cells = text.includes('"') ? quotedCells(text) : text.split(',');
      if (header === undefined) {
        if (cells === undefined) throw new RecordError(line, 'quotes must enclose a whole column name of the header');
        header = checkedHeader(cells, line, columns);
        continue;
      }
      if (cells === undefined) {
        records.push({ line, value: new RecordError(line, quoteFault(text)) });
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
  if (header === undefined) throw new RecordError(1, 'the file is empty: there is no header');
}

function checkedHeader(cells: string[], line: number, columns: readonly string[]): string[] {
  const header = cells.map((name) => name.trim());
  const fault = (message: string) => new RecordError(line, `the header ${message}`);
  header.forEach((name, index) => {
    if (name === '') throw fault(`has no name for column ${index + 1}`);
    if (header.indexOf(name) !== index) throw fault(`names the column "${name}" twice`);
  });
  const [needed] = columns;
  if (needed === undefined || header.includes('type')) return header;
  const known = `the columns of a file of numbers are ${columns.join(', ')}`;
  if (!header.some((name) => columns.includes(name))) throw fault(`is missing, or not separated by commas: ${known}`);
  const unknown = header.find((name) => !columns.includes(name));
  if (unknown !== undefined) throw fault(`names the column "${unknown}", which is not known: ${known}`);
  if (!header.includes(needed)) throw fault(`does not name the column "${needed}"`);
  return header;
}

/** Describes the error of a file that ends inside a quoted value. */
function quoteFault(text: string): string {
  return (text.split('"').length - 1) % 2 === 1 ? 'a quoted value does not end' : 'quotes must enclose a whole value';
}

interface Line {
  line: number;
  text: string;
}

/** Splits into CSV lines: a line break inside quotes does not end a line. */
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
    if (rest.length > longestRecord) {
      throw new RecordError(line, open ? 'a quoted value does not end' : 'the line is longer than 1 MiB');
    }
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

/** Maximum length of an object, so that a broken file cannot fill the memory. */
const longestObject = 1 << 20;

const newline = 10;
const quote = 34;
const comma = 44;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

export async function* readJsonRecords(chunks: AsyncIterable<string>): AsyncGenerator<RawRecord[]> {
  let pending = '';
  let line = 1;
  let startLine = 1;
  let depth = 0;
  let inArray = false;
  let inString = false;
  let escaped = false;
  for await (const chunk of chunks) {
    const records: RawRecord[] = [];
    let from = 0;
    for (let i = 0; i < chunk.length; i++) {
      const code = chunk.charCodeAt(i);
      if (code === newline) line++;
      if (depth === 0) {
        if (code === openBrace) {
          depth = 1;
          from = i;
          startLine = line;
        } else if (code === openBracket && !inArray) {
          inArray = true;
        } else if (code > 32 && code !== comma && code !== closeBracket && code !== 0xfeff) {
          throw new RecordError(line, `expected a JSON object, found "${chunk.slice(i, i + 12).trim()}"`);
        }
      } else if (inString) {
        if (escaped) escaped = false;
        else if (code === backslash) escaped = true;
        else if (code === quote) inString = false;
      } else if (code === quote) {
        inString = true;
      } else if (code === openBrace || code === openBracket) {
        depth++;
      } else if ((code === closeBrace || code === closeBracket) && --depth === 0) {
        records.push({ line: startLine, value: parse(pending + chunk.slice(from, i + 1), startLine) });
        pending = '';
      }
    }
    if (depth > 0) pending += chunk.slice(from);
    if (pending.length > longestObject) throw new RecordError(startLine, 'the object is longer than 1 MiB');
    yield records;
  }
  if (depth > 0) throw new RecordError(startLine, 'the file ends inside this object');
}

function parse(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return new RecordError(line, error instanceof SyntaxError ? `not JSON: ${error.message}` : String(error));
  }
}
