/** The bytes of uploads, stored as chunks in the database so that every process can read them. */
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { Environment } from '../../environment.ts';
import { forgetUploadTask } from './tasks.ts';

const CHUNK_BYTES = 256 * 1024;
/** An upload still incomplete after this time is deleted: the process that received it has ended. */
const ABANDONED_AFTER_MS = 3_600_000;

/** Stores a stream chunk by chunk. Holds one chunk in memory, and no transaction while it waits for the client. */
export class FileWriter {
  readonly id: string;
  readonly #db: Kysely<Schema>;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #position = 0;
  size = 0;

  private constructor(db: Kysely<Schema>, id: string) {
    this.#db = db;
    this.id = id;
  }

  static async begin(env: Environment, accountId: string): Promise<FileWriter> {
    const now = env.clock.now();
    return env.db.transaction().execute(async (trx) => {
      const { id } = await trx
        .insertInto('stored_files')
        .values({ account_id: accountId, created_at: now })
        .returning('id')
        .executeTakeFirstOrThrow();
      const at = new Date(now.getTime() + ABANDONED_AFTER_MS);
      await env.jobs.add(trx, forgetUploadTask, { stored_file_id: id }, { at });
      return new FileWriter(env.db, id);
    });
  }

  async write(bytes: Buffer): Promise<void> {
    this.size += bytes.length;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= CHUNK_BYTES) await this.#flush();
  }

  /** Marks the file as complete, in the caller's transaction. */
  async finish(trx: Kysely<Schema>, fingerprint: string): Promise<void> {
    await trx
      .updateTable('stored_files')
      .set({ size: this.size, fingerprint })
      .where('id', '=', this.id)
      .executeTakeFirstOrThrow();
  }

  /** Stores the bytes that are still in memory. */
  async flush(): Promise<void> {
    if (this.#pendingBytes > 0) await this.#flush();
  }

  async discard(): Promise<void> {
    await this.#db.deleteFrom('stored_files').where('id', '=', this.id).execute();
  }

  async #flush(): Promise<void> {
    const bytes = this.#pending.length === 1 ? (this.#pending[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    const position = this.#position++;
    await this.#db.insertInto('stored_file_chunks').values({ stored_file_id: this.id, position, bytes }).execute();
  }
}

/** Yields the stored chunks in order, reading one at a time. */
export async function* readFile(db: Kysely<Schema>, storedFileId: string): AsyncGenerator<Buffer> {
  for (let position = 0; ; position++) {
    const chunk = await db
      .selectFrom('stored_file_chunks')
      .select('bytes')
      .where('stored_file_id', '=', storedFileId)
      .where('position', '=', position)
      .executeTakeFirst();
    if (!chunk) return;
    yield chunk.bytes;
  }
}
