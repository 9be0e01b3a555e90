/** Writes the content of a database that nobody changes as a snapshot file. */
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { machineClock } from '../../base/clock.ts';
import type { ServerKey } from '../../base/server-key.ts';
import { linesOf } from './lines.ts';
import { readState, readTables, type TableRows, withReader } from './read-tables.ts';
import { sealed as sealedFile } from './sealed-file.ts';
import { endOfTable, type SnapshotHeader, snapshotFormat } from './snapshot-format.ts';
import { type SealedColumn, type SecretRules, secretsOf } from './snapshot-secrets.ts';

export interface Saving {
  readonly url: string;
  readonly serverKey: ServerKey;
  readonly sealed: readonly SealedColumn[];
  /** Null: secrets stay behind. */
  readonly passphrase: string | null;
}

/** Passes the file on piece by piece. */
export async function saveSnapshotFile(
  { url, serverKey, sealed, passphrase }: Saving,
  write: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  await withReader(url, async (client) => {
    const content = contentOf(client, { serverKey, sealed, kept: passphrase !== null });
    const zipped: AsyncIterable<Buffer> = Readable.from(content, { objectMode: false }).pipe(createGzip({ level: 9 }));
    for await (const chunk of passphrase === null ? zipped : sealedFile(zipped, passphrase)) await write(chunk);
  });
}

async function* contentOf(client: pg.Client, rules: SecretRules): AsyncGenerator<Buffer> {
  yield line(await headerOf(client, rules.kept));
  for await (const table of readTables(client, { accountId: null, forFile: true })) {
    let head: Buffer | null = line({ table: table.copied.table, columns: table.columns });
    for await (const chunk of rowsOf(table, rules)) {
      if (head !== null) yield head;
      head = null;
      yield chunk;
    }
    // Tables without rows are left out.
    if (head === null) yield Buffer.from(`${endOfTable}\n`);
  }
}

const noLimits = {
  bytes: Number.POSITIVE_INFINITY,
  lineBytes: Number.POSITIVE_INFINITY,
  lines: Number.POSITIVE_INFINITY,
};

async function* rowsOf({ copied, columns, rows }: TableRows, rules: SecretRules): AsyncGenerator<Buffer> {
  const change = secretsOf(copied, columns, 'save', rules);
  if (change === null) return yield* rows;
  for await (const row of linesOf(rows, noLimits)) yield change(row);
}

async function headerOf(client: pg.Client, secrets: boolean): Promise<SnapshotHeader> {
  const { rows: migrations } = await client.query<SnapshotHeader['migrations'][number]>(
    'select version, name, checksum from schema_migrations order by version',
  );
  return {
    trunkline_snapshot: snapshotFormat,
    saved_at: machineClock.now().toISOString(),
    migrations,
    secrets,
    state: await readState(client, machineClock.now()),
  };
}

const line = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
