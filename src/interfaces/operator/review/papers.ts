/**
 * What a reviewer compares: the papers of a submission beside what its requirements ask for, and the decrypted files.
 * Every opened file is in the audit log.
 */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { isUuid } from '../../../base/uuid.ts';
import type { IdentityType } from '../../../engines/db/tables/regulation.ts';
import { ApiError, errors, invalid } from '../../../engines/jsonapi/errors.ts';
import { type DocumentType, UnreadableFile } from '../../platform/identities/encryption.ts';
import { openFile } from '../../platform/identities/open-file.ts';
import { showSubmission } from '../../platform/regulation/review-queue.ts';
import { requiredOf } from '../../platform/regulation/reviewed-rules.ts';
import { type ContextOf, ownMedia, parametersOf } from '../own-route.ts';

const endings: Readonly<Record<DocumentType, string>> = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
};

/** A customer made the file: nothing in it may run, and only the panel's own page may show it in a frame. */
const fileSafety = {
  'cache-control': 'no-store',
  'content-security-policy': "script-src 'none'; frame-ancestors 'self'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
};

export function submissionPaperRoutes(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/submission_papers', { config: ownMedia('submission_papers') }, async (request, reply) => {
    const context = contextOf(request);
    const { submission } = parametersOf(request, 'submission');
    const found = isUuid(submission) ? await showSubmission(context.env, submission) : null;
    if (found === null) throw new ApiError([errors.recordNotFound(submission)]);
    const { identity, address, numbers, files, service_description } = found;
    const kind = (identity?.identity_type ?? null) as IdentityType | null;
    const required = await requiredOf(context.env.db, found.type, found.id, kind);
    return reply
      .header('cache-control', 'no-store')
      .send({ id: found.id, required, identity, address, service_description, numbers, files });
  });

  app.get('/submission_files', { config: ownMedia('submission_files') }, async (request, reply) => {
    const context = contextOf(request);
    const { file } = parametersOf(request, 'file');
    const opened = await (isUuid(file) ? openFile(context.env, file, context.operator) : null)?.catch(refuse);
    if (opened == null) throw new ApiError([errors.recordNotFound(file)]);
    return reply
      .headers(fileSafety)
      .type(opened.type)
      .header('content-disposition', `inline; filename="${file}.${endings[opened.type]}"`)
      .send(Readable.from(opened.content));
  });
}

function refuse(error: unknown): never {
  throw error instanceof UnreadableFile ? new ApiError([invalid.base(`${error.message}.`)]) : error;
}
