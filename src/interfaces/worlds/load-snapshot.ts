/**
 * Loads a snapshot file into a database of the newest schema. The file is a stranger's: only tables and columns of
 * copied-tables.ts are taken, in their order and within limits, and the database checks every row.
 */
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import type { ServerKey } from '../../base/server-key.ts';
import { shippedSchema } from '../../engines/db/schema-files.ts';
import { DatabaseClient } from '../../engines/db/servers/client.ts';
import { fillTables } from './fill-tables.ts';
import { type LineLimits, linesOf } from './lines.ts';
import { columnsOfTables, isCopied, type TableRows, tablesInFiles } from './read-tables.ts';
import { refuseForeignRows } from './refuse-foreign-rows.ts';
import { refuseOddValues } from './refuse-odd-values.ts';
import { opened, wrongPassphrase } from './sealed-file.ts';
import { BadSnapshotFile, damaged, endOfTable, readHead, readHeader, type TableHead } from './snapshot-format.ts';
import { requireLoadable } from './snapshot-schema.ts';
import { type SealedColumn, type SecretRules, secretsOf } from './snapshot-secrets.ts';

export interface Loading {
  readonly url: string;
  readonly serverKey: ServerKey;
  readonly sealed: readonly SealedColumn[];
  readonly passphrase: string | null;
  readonly limits: LineLimits;
  readonly patienceMs: number;
}

export async function loadSnapshotFile(loading: Loading, file: AsyncIterable<Buffer>): Promise<void> {
  const { url, passphrase, serverKey, sealed, patienceMs } = loading;
  const lines = linesOf(unzipped(opened(file, passphrase), passphrase !== null), loading.limits);
  const header = readHeader((await lines.next()).value?.toString());
  // Outside of a sealed file they would be secrets that anybody can read.
  if (header.secrets && passphrase === null) throw damaged();
  requireLoadable(header, await shippedSchema());
  const known = await columnsIn(url);
  const rules = { serverKey, sealed, kept: header.secrets };
  try {
    await fillTables(url, tablesIn(lines, known, rules), { state: header.state, patienceMs }, async (client) => {
      await refuseForeignRows(client);
      await refuseOddValues(client);
    });
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

/** What PostgreSQL or one of its triggers refuses in rows, also as too large for an index, is a fault of the file. */
function refusalOf(error: unknown): BadSnapshotFile | null {
  if (!(error instanceof pg.DatabaseError) || !/^(22|23|54|P0)/.test(error.code ?? '')) return null;
  return new BadSnapshotFile(
    `The file has rows that cannot be${error.table ? `, in ${error.table}` : ''}: ${error.message}.`,
  );
}

async function* unzipped(file: AsyncIterable<Buffer>, isSealed: boolean): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const fed = feed(file, gunzip);
  fed.catch((error) => gunzip.destroy(error));
  try {
    for await (const chunk of gunzip) yield chunk;
  } catch (error) {
    if (error instanceof BadSnapshotFile || !(error instanceof Error && 'code' in error)) throw error;
    throw isSealed ? wrongPassphrase() : new BadSnapshotFile('The file is not a snapshot, or it is cut off.');
  }
  // The end of a sealed file proves that all of it is genuine.
  await fed;
}

async function feed(file: AsyncIterable<Buffer>, gunzip: ReturnType<typeof createGunzip>): Promise<void> {
  for await (const chunk of file) {
    if (gunzip.destroyed) return;
    await new Promise<void>((done) => void gunzip.write(chunk, () => done()));
  }
  gunzip.end();
}

async function columnsIn(url: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const client = new DatabaseClient(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await columnsOfTables(client);
  } finally {
    await client.end();
  }
}

async function* tablesIn(
  lines: AsyncGenerator<Buffer>,
  known: ReadonlyMap<string, readonly string[]>,
  rules: SecretRules,
): AsyncGenerator<TableRows> {
  let last = -1;
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const head = readHead(next.value.toString());
    const index = tablesInFiles.findIndex(({ table }) => table === head.table);
    const copied = tablesInFiles[index];
    if (copied === undefined) throw new BadSnapshotFile(`The file has a table that snapshots do not have.`);
    if (index <= last) throw damaged();
    last = index;
    const columns = known.get(head.table);
    if (
      columns === undefined ||
      !areColumns(head, (column) => columns.includes(column) && isCopied(copied, column, true))
    )
      throw new BadSnapshotFile(`The file has a column of ${head.table} that snapshots do not have.`);
    const change = secretsOf(copied, head.columns, 'load', rules);
    yield { copied, columns: head.columns, rows: rowsIn(lines, change) };
  }
}

const areColumns = ({ columns }: TableHead, isKnown: (column: string) => boolean): boolean =>
  columns.length > 0 && new Set(columns).size === columns.length && columns.every(isKnown);

/** Rows are passed on many at a time. */
const bytesAtATime = 1 << 16;
const newLine = Buffer.from('\n');

async function* rowsIn(
  lines: AsyncGenerator<Buffer>,
  change: ((line: Buffer) => Buffer) | null,
): AsyncGenerator<Buffer> {
  let [waiting, bytes]: [Buffer[], number] = [[], 0];
  for (;;) {
    const { value: line, done } = await lines.next();
    if (done) throw new BadSnapshotFile('The file is cut off.');
    if (line.equals(endMark)) break;
    const row = change === null ? [line, newLine] : [change(line)];
    waiting.push(...row);
    bytes += line.length;
    if (bytes < bytesAtATime) continue;
    yield Buffer.concat(waiting);
    [waiting, bytes] = [[], 0];
  }
  if (waiting.length > 0) yield Buffer.concat(waiting);
}

const endMark = Buffer.from(endOfTable);
