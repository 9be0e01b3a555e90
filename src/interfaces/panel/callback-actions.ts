/**
 * Acts on callbacks and call events that are no record of their own: replaying a window, a test, checking a signature.
 */
import type { FastifyInstance } from 'fastify';
import { isUuid } from '../../base/uuid.ts';
import { callbackSecretOf } from '../../business/accounts/accounts.ts';
import { replayDelivery } from '../../business/callbacks/callback-log.ts';
import { type CallbackRequest, readCallbackUrl, signingSecret } from '../../business/callbacks/callback-request.ts';
import { scheduleCallback } from '../../business/callbacks/schedule-callback.ts';
import { delivererOf } from '../../business/voice/events/deliverer.ts';
import { replayEvent } from '../../business/voice/events/queue.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import { ApiError, errors, invalid } from '../../engines/jsonapi/errors.ts';
import { type Static, shape } from '../../engines/typed-schema.ts';
import { callerOf } from '../platform/context.ts';
import type { PanelContext } from './context.ts';
import { acceptJson, bodyOf, type ContextOf, plain } from './plain-routes.ts';
import { compareRequests, readRequest, webhookSignatureOf } from './signature-check.ts';

/** The most that one request starts again; a longer window is replayed in parts. */
const mostReplayed = 1_000;

export const replayBody = shape.object({
  since: shape.string({ format: 'date-time' }),
  until: shape.string({ format: 'date-time' }),
  failed_only: shape.optional(shape.boolean()),
});
const windowOf = bodyOf(replayBody, 'The beginning and the end of the window are needed: since and until, as times.');
export const testCallbackBody = shape.object({ url: shape.string({ minLength: 1, maxLength: 2000 }) });
const testOf = bodyOf(testCallbackBody, 'The URL of the receiver is needed.');
export const signatureCheckBody = shape.object({
  request: shape.string({ minLength: 1, maxLength: 60_000 }),
  secret: shape.optional(shape.string({ maxLength: 300 })),
});
const pastedOf = bodyOf(signatureCheckBody, 'The request is needed, as it was received.');

export function callbackActions(app: FastifyInstance, contextOf: ContextOf): void {
  acceptJson(app);
  app.post('/callback_replays', { config: plain('callback_replays') }, async (request) => {
    const context = contextOf(request);
    const ids = await inWindow(context, 'deliveries', "t.status = 'failed'", windowOf(request));
    for (const id of ids) await replayDelivery(context.env, id, callerOf(context).accountId);
    return { replayed: ids.length, more: ids.length === mostReplayed };
  });

  app.post('/call_event_replays', { config: plain('call_event_replays') }, async (request) => {
    const context = contextOf(request);
    const { accountId } = callerOf(context);
    const undelivered = 't.due_at is null and t.delivered_at is null';
    const ids = await inWindow(context, 'call_events', undelivered, windowOf(request));
    for (const id of ids) await replayEvent(context.env, accountId, Number(id));
    delivererOf(context.env).wake(accountId, 'any stream');
    return { replayed: ids.length, more: ids.length === mostReplayed };
  });

  app.post('/test_callbacks', { config: plain('test_callbacks') }, async (request, reply) => {
    const context = contextOf(request);
    const { env } = context;
    const url = readCallbackUrl(testOf(request).url);
    if (url === null) throw new ApiError([invalid.attribute('url', 'is not an http or https URL')]);
    const { accountId } = callerOf(context);
    if ((await callbackSecretOf(env, accountId)) === null) throw new ApiError([errors.conflict(noSecret)]);
    const resourceId = crypto.randomUUID();
    await inTransaction(env.db, (trx) =>
      scheduleCallback(trx, env, {
        accountId,
        kind: 'test',
        resourceId,
        url,
        method: 'post',
        payload: { id: resourceId, type: 'test', status: 'sent from the panel' },
        sealedSigningKey: null,
      }),
    );
    return reply.code(201).send({ resource_id: resourceId });
  });

  app.post('/signature_checks', { config: plain('signature_checks') }, async (request) =>
    check(contextOf(request), pastedOf(request)),
  );
}

const noSecret =
  'The account has no callback secret, and a session has no API key that could sign. Set a secret first.';

async function inWindow(
  context: PanelContext,
  table: string,
  failed: string,
  { since, until, failed_only: onlyFailed = true }: Static<typeof replayBody>,
): Promise<string[]> {
  const rows = await context.query(
    `select t.id::text as id from ${table} t where t.account_id = $1 and t.created_at >= $2 and t.created_at <= $3
       ${onlyFailed ? `and ${failed}` : ''} order by t.created_at limit ${mostReplayed}`,
    [callerOf(context).accountId, since, until],
  );
  return rows.map(({ id }) => String(id));
}

async function check(context: PanelContext, pasted: { request: string; secret?: string }) {
  const received = readRequest(pasted.request);
  if (received === null) {
    throw new ApiError([errors.badRequest('The first line is not that of a request, such as "POST /hooks HTTP/1.1".')]);
  }
  const id = received.headers.get('webhook-id') ?? '';
  const delivery = isUuid(id) ? await findDelivery(context, id, received.headers.get('webhook-timestamp') ?? '') : null;
  if (delivery === null) {
    throw new ApiError([
      errors.badRequest('No callback of this account has the webhook-id of the request; are its headers complete?'),
    ]);
  }
  const lines = compareRequests(delivery.request, received);
  const secret = signingSecret(context.env, delivery);
  const given = received.headers.get('webhook-signature') ?? null;
  return {
    callback_id: id,
    lines,
    first_difference: lines.find(({ same }) => !same)?.what ?? null,
    signature_matches: secret === null ? null : webhookSignatureOf(received, secret) === given,
    secret_matches: pasted.secret === undefined || secret === null ? null : pasted.secret === secret,
    signed_with: delivery.sealed_callback_secret === null ? 'api_key' : 'callback_secret',
  };
}

interface SentCallback {
  request: CallbackRequest;
  sealed_callback_secret: string | null;
  sealed_signing_key: string | null;
}

/** The attempt with the time of the request, or else the newest one. */
async function findDelivery(context: PanelContext, id: string, timestamp: string): Promise<SentCallback | null> {
  const [row] = await context.query(
    `select a.request, d.sealed_signing_key, c.sealed_callback_secret
     from deliveries d join accounts c on c.id = d.account_id join delivery_attempts a on a.delivery_id = d.id
     where d.account_id = $1 and d.id = $2
     order by a.request -> 'headers' ->> 'webhook-timestamp' = $3 desc, a.attempted_at desc limit 1`,
    [callerOf(context).accountId, id, timestamp],
  );
  return row === undefined
    ? null
    : {
        request: row.request as CallbackRequest,
        sealed_signing_key: row.sealed_signing_key as string | null,
        sealed_callback_secret: row.sealed_callback_secret as string | null,
      };
}
