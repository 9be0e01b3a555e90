/** Splits a stream of JSON into its top-level objects, in one array or one per line. */
import type { RawRecord } from './import-errors.ts';
import { RecordError } from './import-errors.ts';

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
