/** Decrypts a file for a reviewer, as a stream. The audit log is written before the first byte is returned. */
import type { Environment } from '../../environment.ts';
import { writeAudit } from '../audit.ts';
import { type DocumentType, decrypt, onlyDocuments, UnreadableFile } from './encryption.ts';
import { privateKeysFor } from './key-pairs.ts';
import { readFile } from './stored-files.ts';

export interface OpenedFile {
  type: DocumentType;
  size: number;
  /** The decrypted document. Reading it can still throw UnreadableFile if the end of the file is damaged. */
  content: AsyncGenerator<Buffer>;
}

/** Opens a file by the id that the review queue shows. Returns null if there is no such file. */
export async function openFile(env: Environment, keptFileId: string, actor: string): Promise<OpenedFile | null> {
  const file = await env.db
    .selectFrom('kept_files as k')
    .innerJoin('stored_files as s', 's.id', 'k.stored_file_id')
    .select(['s.id', 's.account_id', 's.fingerprint', 's.size'])
    .where('k.id', '=', keptFileId)
    .executeTakeFirst();
  if (!file || file.size === null || file.fingerprint === null) return null;
  const audit = (action: 'file.opened' | 'file.unreadable', details = {}) =>
    writeAudit(env.db, {
      at: env.clock.now(),
      actor,
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
    const content = onlyDocuments(decrypt(readFile(env.db, file.id), file.size, keys), (found) => {
      type.is = found;
    });
    const first = await content.next();
    if (type.is === undefined || first.done) throw new UnreadableFile('not_a_document');
    const unreadable = (problem: string) => audit('file.unreadable', { problem });
    return { type: type.is, size: file.size, content: continued(first.value, content, unreadable) };
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
