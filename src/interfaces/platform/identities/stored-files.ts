/**
 * The bytes of uploads, stored where every process can read them: as chunks in the database, or as an object if storage
 * is set. Written, read, attached to the record that uses them, and deleted by jobs.
 */

import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle } from '../../../engines/jobs/handler.ts';
import { defineTask } from '../../../engines/jobs/task.ts';
import { invalid, messages, refuse } from '../../../engines/jsonapi/errors.ts';
import type { Linkage } from '../../../engines/jsonapi/linkage.ts';
import type { ObjectWriter } from '../../../engines/objects/object-store.ts';
import { newObjectKey, objectsOf } from '../../../engines/objects/objects-of.ts';
import { callerOf, type PlatformContext } from '../context.ts';

export const expireFileTask = defineTask<{ encrypted_file_id: string }>('regulation.expire_file', {
  priority: 'background',
});
export const forgetUploadTask = defineTask<{ stored_file_id: string }>('regulation.forget_upload', {
  priority: 'background',
});

const chunkBytes = 256 * 1024;
/** An upload still incomplete after this time is deleted: the process that received it has ended. */
const abandonedAfterMs = 3_600_000;

/** A complete upload, and where its bytes are: in the database without a key. */
export interface StoredFile {
  id: string;
  size: number;
  objectKey: string | null;
}

/**
 * Stores a stream as it arrives. Holds one chunk or part in memory, and no transaction while it waits for the client.
 */
export class FileWriter implements StoredFile {
  readonly id: string;
  readonly objectKey: string | null;
  readonly #db: Kysely<Schema>;
  readonly #bytes: ObjectWriter;
  size = 0;
  readonly #hash = createHash('sha256');

  private constructor(env: Environment, id: string, objectKey: string | null) {
    this.#db = env.db;
    this.id = id;
    this.objectKey = objectKey;
    this.#bytes = objectKey === null ? new ChunkWriter(env.db, id) : objectsOf(env).write(objectKey);
  }

  static async begin(env: Environment, accountId: string): Promise<FileWriter> {
    const now = env.clock.now();
    const objectKey = newObjectKey(env, 'uploads');
    return inTransaction(env.db, async (trx) => {
      const { id } = await trx
        .insertInto('stored_files')
        .values({ account_id: accountId, created_at: now, object_key: objectKey })
        .returning('id')
        .executeTakeFirstOrThrow();
      const at = new Date(now.getTime() + abandonedAfterMs);
      await env.jobs.add(trx, forgetUploadTask, { stored_file_id: id }, { at });
      return new FileWriter(env, id, objectKey);
    });
  }

  async write(bytes: Buffer): Promise<void> {
    this.size += bytes.length;
    this.#hash.update(bytes);
    await this.#bytes.write(bytes);
  }

  /** Of all bytes; asked for once, after the last. */
  digest(): string {
    return this.#hash.digest('hex');
  }

  /** Marks the file as complete, in the caller's transaction. */
  async finish(trx: Kysely<Schema>, fingerprint: string): Promise<void> {
    await trx
      .updateTable('stored_files')
      .set({ size: this.size, fingerprint })
      .where('id', '=', this.id)
      .executeTakeFirstOrThrow();
  }

  /** Stores the bytes that are still in memory: these were the last. */
  async flush(): Promise<void> {
    await this.#bytes.finish();
  }

  /** Deletes the record, and with it the object if there is one. */
  async discard(): Promise<void> {
    await this.#bytes.abort();
    await this.#db.deleteFrom('stored_files').where('id', '=', this.id).execute();
  }
}

/** Writes a file into the database. */
class ChunkWriter implements ObjectWriter {
  readonly #db: Kysely<Schema>;
  readonly #fileId: string;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #position = 0;

  constructor(db: Kysely<Schema>, fileId: string) {
    this.#db = db;
    this.#fileId = fileId;
  }

  async write(bytes: Buffer): Promise<void> {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= chunkBytes) await this.#flush();
  }

  async finish(): Promise<void> {
    if (this.#pendingBytes > 0) await this.#flush();
  }

  /** The chunks are deleted with the record of the file. */
  async abort(): Promise<void> {
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  async #flush(): Promise<void> {
    const bytes = this.#pending.length === 1 ? (this.#pending[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    const position = this.#position++;
    await this.#db.insertInto('stored_file_chunks').values({ stored_file_id: this.#fileId, position, bytes }).execute();
  }
}

/** Yields the bytes in order, some of them at a time. */
export async function* readFile(env: Environment, { id, size, objectKey }: StoredFile): AsyncGenerator<Buffer> {
  if (objectKey === null) yield* readChunks(env.db, id);
  else if (size > 0) yield* await objectsOf(env).read(objectKey, 0, size - 1);
}

async function* readChunks(db: Kysely<Schema>, storedFileId: string): AsyncGenerator<Buffer> {
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

type Holder = { proof_id: string } | { document_id: string } | { address_verification_id: string };

/**
 * Attaches uploaded files to a proof, document or submission, which keeps their bytes after the upload expires. Treats
 * expired files and files of another account as unknown.
 */
export async function keepFiles(
  trx: Kysely<Schema>,
  context: PlatformContext,
  relationship: string,
  links: readonly Linkage[],
  holder: Holder,
): Promise<void> {
  const ids = links.map(({ id }) => id);
  if (new Set(ids).size < ids.length) refuse(invalid.relationship(relationship, messages.invalid));
  if (ids.length === 0) return;
  // Locked, so that the expiry job does not delete them before they are attached.
  const files = await trx
    .selectFrom('encrypted_files')
    .select(['id', 'stored_file_id'])
    .where('id', 'in', ids)
    .where('account_id', '=', callerOf(context).accountId)
    .where('expires_at', '>', context.now)
    .forShare()
    .execute();
  if (files.length < ids.length) refuse(invalid.relationship(relationship, messages.invalid));
  await trx
    .insertInto('kept_files')
    .values(
      files.map((file) => ({
        stored_file_id: file.stored_file_id,
        proof_id: null,
        document_id: null,
        address_verification_id: null,
        position: ids.indexOf(file.id),
        ...holder,
      })),
    )
    .execute();
}

/** Deletes an upload a day after it was made. The proofs and documents that use it keep its bytes. */
export const expireFile = handle(expireFileTask, async ({ encrypted_file_id }, { env }) => {
  await env.db
    .deleteFrom('encrypted_files')
    .where('id', '=', encrypted_file_id)
    .where('expires_at', '<=', env.clock.now())
    .execute();
});

/** Deletes an upload that was never completed, because the process that received it ended. */
export const forgetUpload = handle(forgetUploadTask, async ({ stored_file_id }, { env }) => {
  await env.db.deleteFrom('stored_files').where('id', '=', stored_file_id).where('size', 'is', null).execute();
});
