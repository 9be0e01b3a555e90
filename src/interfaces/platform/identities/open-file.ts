/** Decrypts stored files as streams, for reviewers and for checks of new uploads. The audit log has each time. */

import type { Kysely } from 'kysely';
import type { Actor } from '../../../base/actor.ts';
import { writeAudit } from '../../../business/audit.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import type { Environment } from '../../../engines/environment.ts';
import { type DocumentType, decrypt, type FileProblem, onlyDocuments, UnreadableFile } from './encryption.ts';
import { privateKeysFor } from './key-pairs.ts';
import { readFile, type StoredFile } from './stored-files.ts';

interface OpenedFile {
  type: DocumentType;
  size: number;
  /** The decrypted document. Reading it can still throw UnreadableFile if the end of the file is damaged. */
  content: AsyncGenerator<Buffer>;
}

/** Opens a file by the id that the review queue shows. Returns null if there is no such file. */
export async function openFile(env: Environment, keptFileId: string, by: Actor): Promise<OpenedFile | null> {
  const file = await env.db
    .selectFrom('kept_files as k')
    .innerJoin('stored_files as s', 's.id', 'k.stored_file_id')
    .select(['s.id', 's.account_id', 's.fingerprint', 's.size', 's.object_key'])
    .where('k.id', '=', keptFileId)
    .executeTakeFirst();
  if (!file || file.size === null || file.fingerprint === null) return null;
  const stored = { id: file.id, size: file.size, objectKey: file.object_key };
  const audit = (action: 'file.opened' | 'file.unreadable', details = {}) =>
    writeAudit(env.db, {
      at: env.clock.now(),
      by,
      action,
      accountId: file.account_id,
      subject: { type: 'kept_files', id: keptFileId },
      details,
    });
  await audit('file.opened');
  try {
    const keys = await privateKeysFor(env, file.fingerprint);
    if (!keys) throw new UnreadableFile('foreign_key');
    const type: { is?: DocumentType } = {};
    const content = onlyDocuments(decrypt(readFile(env, stored), stored.size, keys), (found) => {
      type.is = found;
    });
    const first = await content.next();
    if (type.is === undefined || first.done) throw new UnreadableFile('not_a_document');
    const unreadable = (problem: string) => audit('file.unreadable', { problem });
    return { type: type.is, size: stored.size, content: continued(first.value, content, unreadable) };
  } catch (error) {
    if (error instanceof UnreadableFile) await audit('file.unreadable', { problem: error.problem });
    throw error;
  }
}

async function* continued(
  first: Buffer,
  rest: AsyncGenerator<Buffer>,
  unreadable: (problem: string) => Promise<void>,
): AsyncGenerator<Buffer> {
  yield first;
  try {
    yield* rest;
  } catch (error) {
    if (error instanceof UnreadableFile) await unreadable(error.problem);
    throw error;
  }
}

/** Off by default. Contract: the content of uploads is not checked; a reviewer rejects unreadable files. */
export async function setUploadCheck(env: Environment, accountId: string, checks_uploads: boolean): Promise<void> {
  await env.db
    .insertInto('review_settings')
    .values({ account_id: accountId, auto_decision: null, checks_uploads })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ checks_uploads }))
    .execute();
}

export async function checksUploads(db: Kysely<Schema>, accountId: string): Promise<boolean> {
  const setting = await db
    .selectFrom('review_settings')
    .select('checks_uploads')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return setting?.checks_uploads === true;
}

/** Returns why a reviewer could not open the file, or null if it is readable. Holds one chunk in memory at a time. */
export async function problemOf(
  env: Environment,
  accountId: string,
  file: StoredFile,
  fingerprint: string,
): Promise<FileProblem | null> {
  const problem = await firstProblem(env, file, fingerprint);
  await writeAudit(env.db, {
    at: env.clock.now(),
    by: { kind: 'named', id: 'system' },
    action: 'file.checked',
    accountId,
    subject: { type: 'stored_files', id: file.id },
    details: problem === null ? {} : { problem },
  });
  return problem;
}

async function firstProblem(env: Environment, file: StoredFile, fingerprint: string): Promise<FileProblem | null> {
  const keys = await privateKeysFor(env, fingerprint);
  if (!keys) return 'foreign_key';
  try {
    for await (const _ of onlyDocuments(decrypt(readFile(env, file), file.size, keys), () => undefined));
    return null;
  } catch (error) {
    if (error instanceof UnreadableFile) return error.problem;
    throw error;
  }
}
