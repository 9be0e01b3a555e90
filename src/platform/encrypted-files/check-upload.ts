/** Optional check, set per account by the operator: decrypts each upload and rejects it if a reviewer could not open it. */
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { Environment } from '../../environment.ts';
import { writeAudit } from '../audit.ts';
import { decrypt, type FileProblem, onlyDocuments, UnreadableFile } from './encryption.ts';
import { privateKeysFor } from './key-pairs.ts';
import { type FileWriter, readFile } from './stored-files.ts';

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
  { id, size }: Pick<FileWriter, 'id' | 'size'>,
  fingerprint: string,
): Promise<FileProblem | null> {
  const problem = await firstProblem(env, id, size, fingerprint);
  await writeAudit(env.db, {
    at: env.clock.now(),
    actor: 'system',
    action: 'file.checked',
    accountId,
    subject: { type: 'stored_files', id },
    details: problem === null ? {} : { problem },
  });
  return problem;
}

async function firstProblem(
  env: Environment,
  id: string,
  size: number,
  fingerprint: string,
): Promise<FileProblem | null> {
  const keys = await privateKeysFor(env, fingerprint);
  if (!keys) return 'foreign_key';
  try {
    for await (const _ of onlyDocuments(decrypt(readFile(env.db, id), size, keys), () => undefined));
    return null;
  } catch (error) {
    if (error instanceof UnreadableFile) return error.problem;
    throw error;
  }
}
