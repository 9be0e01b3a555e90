/** COPY from the program into a table, in the transaction of the given connection: the fastest way to insert rows. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

type Value = string | number | boolean | null | string[];

/** `lines` are rows in COPY's text format, each ended by a newline; one string may hold several. */
export async function copyLines(
  client: PoolClient,
  target: string,
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  await pipeline(Readable.from(lines, { objectMode: true }), client.query(copyFrom(`copy ${target} from stdin`)));
}

export async function copyRows(client: PoolClient, table: string, rows: readonly object[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first);
  await copyLines(
    client,
    `${table} (${columns.join(', ')})`,
    rows.map((row) => copyLine(Object.values(row))),
  );
}

function copyLine(values: Value[]): string {
  return `${values.map(copyValue).join('\t')}\n`;
}

function copyValue(value: Value): string {
  if (value === null) return '\\N';
  if (Array.isArray(value)) return escaped(`{${value.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`);
  return typeof value === 'string' ? escaped(value) : String(value);
}

const special = /[\\\t\n\r]/g;
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escaped(text: string): string {
  return text.replace(special, (character) => escapes[character] ?? character);
}
