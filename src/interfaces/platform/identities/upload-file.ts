/** `POST /encrypted_files`: the only request whose body is a multipart form instead of a JSON:API document. */
import type { Kysely } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { ExtraRoutes, RouteFlags } from '../../../engines/jsonapi/engine.ts';
import { invalid, refuse } from '../../../engines/jsonapi/errors.ts';
import { sendDocument } from '../../../engines/jsonapi/http.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { doOnce, fingerprintOf } from '../repeated-creates.ts';
import { uploadExpiryOf, uploadFormsOf } from '../versions/forms.ts';
import { type FileProblem, problemTexts } from './encryption.ts';
import { checksUploads, problemOf } from './open-file.ts';
import { receiveUpload, type Upload } from './receive-upload.ts';
import { expireFileTask } from './stored-files.ts';

const dayMs = 86_400_000;

export const uploadRoutes: ExtraRoutes<PlatformContext> = (app, contextOf) => {
  app.post(
    '/encrypted_files',
    { config: { media: 'own', type: 'encrypted_files' } satisfies RouteFlags },
    async (request, reply) => {
      const context = contextOf(request);
      const forms = uploadFormsOf(context.apiVersion);
      const upload = await receiveUpload(context.env, callerOf(context).accountId, request.raw, forms);
      await refuseUnreadable(context, upload);
      const files = await storeOnce(context, upload);
      const response = upload.form.response?.(files.map(({ id }) => id)) ?? documentOf(context, files);
      return sendDocument(request, reply, 201, response, 'application/json; charset=utf-8');
    },
  );
};

interface NewFile {
  id: string;
  description: string | null;
  expiresAt: string;
}

function documentOf(context: PlatformContext, [file]: readonly NewFile[]): object {
  if (!file) throw new Error('an upload was stored without a file');
  const attributes = { description: file.description, [uploadExpiryOf(context.apiVersion)]: file.expiresAt };
  return {
    data: { id: file.id, type: 'encrypted_files', attributes },
    meta: { api_version: context.apiVersion },
  };
}

/**
 * Rejects the whole form if the account's uploads are checked and a file is unreadable. Nothing of the form stays
 * stored.
 */
async function refuseUnreadable(context: PlatformContext, { files, fingerprint }: Upload): Promise<void> {
  const { env } = context;
  const { accountId } = callerOf(context);
  if (!(await checksUploads(env.db, accountId))) return;
  const problems = new Set<FileProblem>();
  for (const { writer } of files) {
    const problem = await problemOf(env, accountId, writer, fingerprint);
    if (problem) problems.add(problem);
  }
  if (problems.size === 0) return;
  for (const { writer } of files) await writer.discard();
  refuse(...[...problems].map((problem) => invalid.attribute('file', problemTexts[problem])));
}

/** With an `Idempotency-Key` the same form is stored once; what was received again is deleted. */
async function storeOnce(context: PlatformContext, upload: Upload): Promise<readonly NewFile[]> {
  const { db, idempotencyKey: key } = context;
  if (key === undefined) return storeFiles(context, db, upload);
  const { fingerprint: encryptedFor, files: received } = upload;
  const forms = received.map(({ writer, description }) => ({ digest: writer.digest(), description }));
  const request = { type: 'encrypted_files', fingerprint: fingerprintOf({ encryptedFor, forms }) };
  let isFirst = false;
  const discard = async () => {
    for (const { writer } of received) await writer.discard();
  };
  const stored = await doOnce(context, key, request, async (trx) => {
    isFirst = true;
    return { files: await storeFiles(context, trx, upload) };
  }).catch(async (error: unknown) => {
    await discard();
    throw error;
  });
  if (!isFirst) await discard();
  return stored.files;
}

/** Turns the uploads of a form into encrypted files that expire in a day: all of them, or none. */
function storeFiles(context: PlatformContext, db: Kysely<Schema>, { files, fingerprint }: Upload): Promise<NewFile[]> {
  const { env } = context;
  const now = env.clock.now();
  const expiresAt = new Date(now.getTime() + dayMs);
  return inTransaction(db, async (trx) => {
    const created: NewFile[] = [];
    for (const { writer, description } of files) {
      await writer.finish(trx, fingerprint);
      const { id } = await trx
        .insertInto('encrypted_files')
        .values({
          account_id: callerOf(context).accountId,
          stored_file_id: writer.id,
          description,
          created_at: now,
          expires_at: expiresAt,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await env.jobs.add(trx, expireFileTask, { encrypted_file_id: id }, { at: expiresAt });
      created.push({ id, description, expiresAt: expiresAt.toISOString() });
    }
    return created;
  });
}
