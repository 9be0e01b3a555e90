/** `POST /encrypted_files`: the one call that takes a form instead of a document. */
import type { ExtraRoutes } from '../../jsonapi/engine.ts';
import { invalid, refuse } from '../../jsonapi/errors.ts';
import { sendDocument } from '../../jsonapi/http.ts';
import type { RouteFlags } from '../../jsonapi/routes.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { expireFileTask } from '../regulation/tasks.ts';
import { uploadFormsOf } from '../versions/2026-04-16.forms.ts';
import { versions } from '../versions/versions.ts';
import { checksUploads, problemOf } from './check-upload.ts';
import { type FileProblem, PROBLEMS } from './encryption.ts';
import { receiveUpload, type Upload } from './receive-upload.ts';

const DAY_MS = 86_400_000;

export const uploadRoutes: ExtraRoutes<PlatformContext> = (app, contextOf) => {
  app.post('/encrypted_files', { config: { media: 'own' } satisfies RouteFlags }, async (request, reply) => {
    const context = contextOf(request);
    const forms = uploadFormsOf(context.apiVersion);
    const upload = await receiveUpload(context.env, callerOf(context).accountId, request.raw, forms);
    await lookInto(context, upload);
    const files = await keepUpload(context, upload);
    const answer = upload.form.response?.(files.map(({ id }) => id)) ?? documentOf(context, files);
    return sendDocument(request, reply, 201, answer, 'application/json; charset=utf-8');
  });
};

interface KeptFile {
  id: string;
  description: string | null;
  expiresAt: Date;
}

function documentOf(context: PlatformContext, [file]: readonly KeptFile[]): object {
  if (!file) throw new Error('an upload was kept without a file');
  const attributes = { description: file.description, expires_at: file.expiresAt.toISOString() };
  return versions.response(context.apiVersion, {
    data: { id: file.id, type: 'encrypted_files', attributes },
    meta: { api_version: context.apiVersion },
  });
}

/** Refuses what no reviewer could open, where the operator wants that known at once; nothing of the form stays. */
async function lookInto(context: PlatformContext, { files, fingerprint }: Upload): Promise<void> {
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
  refuse(...[...problems].map((problem) => invalid.attribute('file', PROBLEMS[problem])));
}

/** The uploads become files that exist for a day: all of a form, or none. */
function keepUpload(context: PlatformContext, { files, fingerprint }: Upload): Promise<KeptFile[]> {
  const { env } = context;
  const now = env.clock.now();
  const expiresAt = new Date(now.getTime() + DAY_MS);
  return env.db.transaction().execute(async (trx) => {
    const kept: KeptFile[] = [];
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
      kept.push({ id, description, expiresAt });
    }
    return kept;
  });
}
