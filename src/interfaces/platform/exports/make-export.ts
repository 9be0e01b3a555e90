/**
 * Makes an export's file: PostgreSQL's own COPY through gzip into pieces of a table, or into an object if storage is
 * set. Only a few pieces are in memory.
 */

import { createHash, type Hash } from 'node:crypto';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createGzip } from 'node:zlib';
import type { Pool } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { endOfPeriods } from '../../../business/billing/calendar.ts';
import { scheduleReport } from '../../../business/callbacks/schedule-callback.ts';
import { connectSession } from '../../../engines/db/pool.ts';
import { withoutTimeouts } from '../../../engines/db/timeouts.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { defineTask } from '../../../engines/jobs/task.ts';
import { asJobFailure } from '../../../engines/objects/object-store.ts';
import { newObjectKey, objectsOf } from '../../../engines/objects/objects-of.ts';
import { exportReportOf } from '../versions/forms.ts';
import { exportQuery } from './export-query.ts';
import { windowOf } from './export-window.ts';

export const makeExportTask = defineTask<{ export_id: string }>('exports.make', { priority: 'background' });
const deleteExportTask = defineTask<{ export_id: string }>('exports.delete', { priority: 'background' });

export const makeExport = handle(makeExportTask, async ({ export_id: id }, { env }: TaskContext<Environment>) => {
  const requested = await env.db
    .updateTable('exports')
    .set({ status: 'processing', object_key: newObjectKey(env, 'exports') })
    .where('id', '=', id)
    .where('status', '!=', 'completed')
    .returning(['account_id', 'export_type', 'filters', 'object_key'])
    .executeTakeFirst();
  if (requested === undefined) return;
  const { export_type: type, account_id: accountId, filters, object_key: objectKey } = requested;
  const destination = objectKey === null ? await pieceTable(env, id) : objectDestination(env, objectKey);
  const query = exportQuery(type, accountId, windowOf(filters));
  const source = await sourceOf(env, id);
  const file = await asJobFailure(() => writeFile(source, query, destination));
  await complete(env, id, objectKey, file);
});

interface WrittenFile {
  size: number;
  checksum: string;
}

/** Takes the file piece by piece. */
interface Destination {
  write(piece: Buffer, index: number): Promise<void>;
  finish(): Promise<void>;
  abort(): Promise<void>;
}

const objectDestination = (env: Environment, key: string): Destination => objectsOf(env).write(key);

/** Deletes the pieces of an earlier attempt first. */
async function pieceTable(env: Environment, exportId: string): Promise<Destination> {
  await env.db.deleteFrom('export_pieces').where('export_id', '=', exportId).execute();
  return {
    write: async (piece, index) => {
      await env.pool.query({
        name: 'exports_piece',
        text: 'insert into export_pieces (export_id, piece, bytes) values ($1, $2, $3)',
        values: [exportId, index, piece],
      });
    },
    finish: () => Promise.resolve(),
    abort: () => Promise.resolve(),
  };
}

interface Source {
  pool: Pool;
  failed?(error: unknown): void;
}

/** A replica that has heard of the export has every call that was known when it was asked for. */
async function sourceOf(env: Environment, id: string): Promise<Source> {
  const replica = env.replicas?.fresh() ?? null;
  if (replica === null) return env;
  const heard = `select from exports where id = $1 and status = 'processing'`;
  const { rowCount } = await replica.pool.query(heard, [id]).catch((error: unknown) => {
    replica.failed(error);
    return { rowCount: 0 };
  });
  return rowCount === 1 ? replica : env;
}

/** After a failure the replica rests, and the next attempt of the job reads from another or from the primary. */
async function writeFile(source: Source, query: string, destination: Destination): Promise<WrittenFile> {
  const client = await connectSession(source.pool);
  const hash = createHash('sha256');
  const pieces = new PieceWriter(destination, hash);
  try {
    const copy = `copy (${query}) to stdout with (format csv, header)`;
    await withoutTimeouts(client, () =>
      pipeline(client.query(copyTo(copy)), createGzip({ chunkSize: 65_536 }), pieces),
    );
    client.release();
  } catch (error) {
    // Close the connection: its COPY did not finish.
    client.release(true);
    source.failed?.(error);
    await destination.abort();
    throw error;
  }
  await destination.finish();
  return { size: pieces.size, checksum: hash.digest('hex') };
}

/** Another attempt may have begun meanwhile, with an object of its own; then this one is not the file. */
async function complete(
  env: Environment,
  id: string,
  objectKey: string | null,
  { size, checksum }: WrittenFile,
): Promise<void> {
  const now = env.clock.now();
  await inTransaction(env.db, async (trx) => {
    const done = await trx
      .updateTable('exports')
      .set({ status: 'completed', completed_at: now, size, checksum })
      .where('id', '=', id)
      .where('status', '=', 'processing')
      .where('object_key', 'is not distinct from', objectKey)
      .returningAll()
      .executeTakeFirst();
    if (done === undefined) return;
    await env.jobs.add(trx, deleteExportTask, { export_id: id }, { at: endOfPeriods(now, 1) });
    const { type, hasUrl } = exportReportOf(done.api_version);
    const url = hasUrl ? { url: `${done.base_url}/exports/${done.file_name}.csv.gz` } : {};
    await scheduleReport(trx, env, type, done, { status: 'completed', ...url });
  });
}

/** Deletes an export and its file a month after it was completed. */
export const deleteExport = handle(deleteExportTask, async ({ export_id }, { env }: TaskContext<Environment>) => {
  await env.db.deleteFrom('exports').where('id', '=', export_id).execute();
});

export const pieceBytes = 262_144;

/** From this number of pieces on memory is collected: fully once, then after every piece. */
const longFilePieces = 4;

class PieceWriter extends Writable {
  readonly #destination: Destination;
  readonly #hash: Hash;
  readonly #garbage = createCollector();
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #pieces = 0;
  size = 0;

  constructor(destination: Destination, hash: Hash) {
    super({ highWaterMark: pieceBytes });
    this.#destination = destination;
    this.#hash = hash;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.size += chunk.length;
    this.#hash.update(chunk);
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    this.#storeWhole().then(() => done(), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#store(Buffer.concat(this.#waiting)).then(() => done(), done);
  }

  async #storeWhole(): Promise<void> {
    while (this.#waitingBytes >= pieceBytes) {
      const bytes = Buffer.concat(this.#waiting);
      this.#waiting = [bytes.subarray(pieceBytes)];
      this.#waitingBytes = bytes.length - pieceBytes;
      await this.#store(bytes.subarray(0, pieceBytes));
    }
  }

  async #store(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    await this.#destination.write(bytes, this.#pieces);
    this.#pieces += 1;
    if (this.#pieces === longFilePieces) this.#garbage.all();
    else if (this.#pieces > longFilePieces) this.#garbage.young();
  }
}

/**
 * Frees memory while a long file is written. Used buffers lie outside the heap, so the garbage collector alone would
 * let tens of MiB of them pile up.
 */
interface Collector {
  /** Collects young objects: about a millisecond. */
  young(): void;
  /** Collects everything and returns free memory to the system: tens of milliseconds. */
  all(): void;
}

function createCollector(): Collector {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this runtime does not expose the garbage collector');
  return {
    young: () => collect({ type: 'minor' }),
    all: () => collect({ type: 'major', flavor: 'last-resort' }),
  };
}
