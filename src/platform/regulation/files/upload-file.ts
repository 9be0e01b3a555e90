/** `POST /encrypted_files`: the one call that takes a form instead of a document. */
import type { ExtraRoutes } from '../../../jsonapi/engine.ts';
import type { RouteFlags } from '../../../jsonapi/routes.ts';
import { callerOf, type PlatformContext } from '../../context.ts';
import { versions } from '../../versions/versions.ts';
import { receiveUpload, type Upload } from './receive-upload.ts';

const DAY_MS = 86_400_000;

export const uploadRoutes: ExtraRoutes<PlatformContext> = (app, contextOf) => {
  app.post('/encrypted_files', { config: { media: 'own' } satisfies RouteFlags }, async (request, reply) => {
    const context = contextOf(request);
    const upload = await receiveUpload(context.env, callerOf(context).accountId, request.raw);
    const { id, expiresAt } = await keepUpload(context, upload);
    const attributes = { description: upload.description, expires_at: expiresAt.toISOString() };
    const document = {
      data: { id, type: 'encrypted_files', attributes },
      meta: { api_version: context.apiVersion },
    };
    return reply
      .code(201)
      .header('content-type', 'application/json')
      .send(JSON.stringify(versions.response(context.apiVersion, document)));
  });
};

/** The upload becomes a file that exists for a day. */
async function keepUpload(context: PlatformContext, { writer, fingerprint, description }: Upload) {
  const { env } = context;
  const now = env.clock.now();
  const expiresAt = new Date(now.getTime() + DAY_MS);
  const id = await env.db.transaction().execute(async (trx) => {
    await writer.finish(trx, fingerprint);
    const row = await trx
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
    await env.jobs.add(trx, 'regulation.expire-file', { encrypted_file_id: row.id }, { at: expiresAt });
    return row.id;
  });
  return { id, expiresAt };
}
