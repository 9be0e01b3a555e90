/** Imports a catalogue file into an environment: streamed, every line checked, in one transaction. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { FieldError } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { piecesOf } from '../../base/slices.ts';
import type { Schema } from '../../engines/db/schema.ts';
import type { Environment } from '../../engines/environment.ts';
import { inBulkTransaction } from './bulk-write.ts';
import { CatalogueIndex } from './catalogue-index.ts';
import { ImportErrors, type RawRecord, RecordError } from './import-errors.ts';
import { NumberReader, numberColumns } from './number-records.ts';
import { NumberStaging } from './number-staging.ts';
import { readCsvRecords, readJsonRecords } from './read-files.ts';
import { type Row, recordTypes, type TableRow, type Take } from './records.ts';
import { type CatalogueTable, catalogueTables } from './rows.ts';

/** What is written at once is put together in one turn of the event loop. */
const rowsPerWrite = 1000;
const numbersPerWrite = 10_000;

interface ImportOptions {
  /** How many invalid lines are described; the rest are counted. */
  maxErrors?: number;
  /** Checks everything and stores nothing. */
  dryRun?: boolean;
  onProgress?: (done: { stage: 'read' | 'store'; done: number; of: number }) => void;
  /** Runs in the transaction of the import, after everything is stored. */
  record?: (db: Kysely<Schema>, imported: Imported) => Promise<void>;
}

export interface Imported {
  /** Records that are not numbers. */
  entries: number;
  numbers: number;
}

/** Where the bytes of a catalogue come from; the ending of the name decides how they are read. */
interface ImportSource {
  name: string;
  size: number;
  bytes: AsyncIterable<Uint8Array>;
}

export async function importCatalogue(env: Environment, file: string, options: ImportOptions = {}): Promise<Imported> {
  requireKnownEnding(file);
  const size = await fileSize(file);
  return importFrom(env, { name: file, size, bytes: createReadStream(file, { highWaterMark: 1 << 20 }) }, options);
}

export async function importFrom(
  env: Environment,
  source: ImportSource,
  options: ImportOptions = {},
): Promise<Imported> {
  const { name, size } = source;
  requireKnownEnding(name);
  const errors = new ImportErrors(name, options.maxErrors ?? 20);
  let found: Imported = { entries: 0, numbers: 0 };
  const imported = inBulkTransaction(env, async ({ client, db }) => {
    const index = await CatalogueIndex.read(db);
    const numbers = new NumberReader(index);
    const writer = new RowWriter(db);
    const staging = await NumberStaging.create(client, db);
    let entries = 0;
    const chunks = chunksOf(source, (done) => options.onProgress?.({ stage: 'read', done, of: size }));
    try {
      for await (const records of name.endsWith('.csv')
        ? readCsvRecords(chunks, numberColumns)
        : readJsonRecords(chunks)) {
        for (const record of records) {
          try {
            entries += readRecord(record, index, numbers, writer, staging);
          } catch (error) {
            errors.add(record.line, error);
          }
        }
        // After an invalid line nothing will be stored, but the following numbers are still checked.
        if (errors.any) writer.forget();
        if (writer.waiting >= rowsPerWrite) await writer.flush();
        if (staging.waiting >= numbersPerWrite) await staging.flush();
      }
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      errors.add(error.line, error);
    }
    if (!errors.any) await writer.flush();
    await staging.flush();
    await staging.check(errors);
    errors.throwIfAny();
    if (options.dryRun) {
      found = { entries, numbers: staging.total };
      throw new DryRunEnds();
    }
    const stored = await staging.store((done, of) => options.onProgress?.({ stage: 'store', done, of }));
    await db.updateTable('environment_state').set({ catalogue: 'imported' }).where('catalogue', 'is', null).execute();
    const imported = { entries, numbers: stored };
    await options.record?.(db, imported);
    return imported;
  });
  return imported.catch((error: unknown) => {
    if (error instanceof DryRunEnds) return found;
    throw error;
  });
}

/** Rolls the transaction of a dry run back. */
class DryRunEnds extends Error {}

/** Returns the number of entries: 1, or 0 for a number. */
function readRecord(
  { line, value }: RawRecord,
  index: CatalogueIndex,
  numbers: NumberReader,
  writer: RowWriter,
  staging: NumberStaging,
): number {
  if (value instanceof RecordError) throw value;
  if (typeof value !== 'object' || value === null) throw new FieldError('must be an object');
  const members: Row = { ...value };
  const known = ['type'];
  const take: Take = (member, field) => {
    known.push(member);
    try {
      return field(members[member]);
    } catch (error) {
      throw error instanceof FieldError ? new FieldError(`${member}${error.path}: ${error.detail}`) : error;
    }
  };
  const type = members.type ?? 'available_dids';
  if (type === 'available_dids') {
    const { record, rows } = numbers.read(take);
    refuseOthers(members, known);
    write(writer, rows);
    staging.add(line, record);
    return 0;
  }
  const read = typeof type === 'string' ? recordTypes[type] : undefined;
  if (!read) throw new FieldError(`there is no type ${JSON.stringify(type)}`);
  const rows = read(take, index);
  refuseOthers(members, known);
  write(writer, rows);
  return 1;
}

function refuseOthers(members: Row, known: string[]): void {
  for (const member in members) {
    if (!known.includes(member)) throw new FieldError(`${member} is not a member of this type`);
  }
}

function write(writer: RowWriter, rows: TableRow[]): void {
  for (const { table, row } of rows) writer.add(table, row);
}

async function* chunksOf({ name, bytes }: ImportSource, onBytes: (bytes: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decoded = (chunk: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: true });
    } catch {
      throw new OperatorError(`${name} is not UTF-8 text.`);
    }
  };
  let read = 0;
  for await (const chunk of bytes) {
    yield* piecesOf(decoded(chunk));
    read += chunk.length;
    onBytes(read);
  }
  try {
    decoder.decode();
  } catch {
    throw new OperatorError(`${name} ends inside a character of UTF-8.`);
  }
}

export function requireKnownEnding(name: string): void {
  if (!/\.(csv|json|jsonl)$/.test(name)) throw new OperatorError(`${name} must end in .csv, .json or .jsonl.`);
}

async function fileSize(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw new OperatorError(`${file} is not a file that can be read.`);
  if (found.size === 0) throw new OperatorError(`${file} is empty.`);
  return found.size;
}

export class RowWriter {
  readonly #db: Kysely<Schema>;
  readonly #waiting = new Map<CatalogueTable, Row[]>(catalogueTables.map((table) => [table, []]));
  #count = 0;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  /** How many rows are not written yet. */
  get waiting(): number {
    return this.#count;
  }

  add(table: CatalogueTable, row: Row): void {
    this.#count += 1;
    this.#waiting.get(table)?.push(row);
  }

  /** Writes in table order, so that referenced rows exist first. */
  async flush(): Promise<void> {
    this.#count = 0;
    for (const [table, rows] of this.#waiting) {
      if (rows.length === 0) continue;
      await this.#upsert(table, rows);
      rows.length = 0;
    }
  }

  /** Discards the rows that are not written yet. */
  forget(): void {
    this.#count = 0;
    for (const rows of this.#waiting.values()) rows.length = 0;
  }

  async #upsert(table: CatalogueTable, rows: Row[]): Promise<void> {
    const columns = Object.keys(rows[0] ?? {});
    const names = sql.join(columns.map((column) => sql.ref(column)));
    const changes = columns
      .filter((column) => column !== 'id')
      .map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`);
    const conflict = columns.includes('id') ? sql`(id) do update set ${sql.join(changes)}` : sql`do nothing`;
    // If several rows have one id, the last one wins, as if they were written one by one.
    const distinct = columns.includes('id') ? [...new Map(rows.map((row) => [row.id, row])).values()] : rows;
    await sql`insert into ${sql.table(table)} (${names})
              select ${names} from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(distinct)}::jsonb)
              on conflict ${conflict}`.execute(this.#db);
  }
}
