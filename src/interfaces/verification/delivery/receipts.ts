/**
 * Delivery receipts: `/providers/{name}/receipts`, where HTTP providers send them, and storing those of every provider.
 * Each HTTP provider has a secret for this, sent as a bearer token, as the password of Basic, or as `secret` in the
 * query.
 */

import { timingSafeEqual } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isStorable } from '../../../base/incoming-json.ts';
import { createFailedAuthentications, shippedFailureLimit } from '../../../business/accounts/failed-authentication.ts';
import { unseal } from '../../../business/accounts/secret.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { isTooLong, readBody } from '../read-body.ts';
import type { Receipt } from '../smpp/messages.ts';
import { stillPending } from '../verification.ts';
import { type HttpProviderSettings, httpSettings } from './http-provider.ts';
import { receiptSecretPurpose } from './provider.ts';

export async function receiptsRoom(app: FastifyInstance, env: Environment): Promise<void> {
  const failures = createFailedAuthentications((heard) => env.changes.counts.join('failed receipts', heard));
  const limit = shippedFailureLimit[env.name];
  app.route<{ Params: { name: string } }>({
    method: ['GET', 'POST'],
    url: '/providers/:name/receipts',
    exposeHeadRoute: false,
    // Before the framework reads the body: strangers get no bytes buffered, and any content type is taken.
    onRequest: async (request, reply) => {
      const wait = failures.wait(request.ip, limit);
      if (wait > 0) return reply.code(429).header('retry-after', wait).send({ error: 'too many failed requests' });
      const query = new URLSearchParams(request.originalUrl.split('?')[1] ?? '');
      const provider = await authenticated(env, request.params.name, secretIn(request, query));
      if (provider === null) {
        failures.count(request.ip, limit);
        return reply.code(401).header('www-authenticate', 'Bearer').send({ error: 'the secret is missing or wrong' });
      }
      const body = await readBody(request.raw);
      query.delete('secret');
      const receipt = isTooLong(body)
        ? null
        : readHttpReceipt(provider.settings.receipt, {
            query: query.toString(),
            contentType: request.headers['content-type'] ?? '',
            body: body.toString('utf8'),
          });
      if (receipt === null) return reply.code(400).send({ error: 'the receipt names no message' });
      // 404 makes a provider retry: the process that sent the message may not have stored it yet.
      if (!(await recordReceipt(env, provider.id, receipt))) return reply.code(404).send({ error: 'no such message' });
      return reply.code(204).send();
    },
    handler: async (_request, reply) => reply,
  });
}

function secretIn({ headers }: FastifyRequest, query: URLSearchParams): string {
  const [scheme = '', credentials = ''] = (headers.authorization ?? '').split(' ');
  if (/^bearer$/i.test(scheme)) return credentials;
  if (/^basic$/i.test(scheme)) {
    return Buffer.from(credentials, 'base64').toString('utf8').split(':').slice(1).join(':');
  }
  return query.get('secret') ?? '';
}

/** Null alike for a provider that does not exist, one that has no secret, and a wrong secret. */
async function authenticated(env: Environment, name: string, secret: string) {
  if (!isStorable(name)) return null;
  const row = await env.db
    .selectFrom('verification_providers')
    .select(['id', 'settings', 'sealed_receipt_secret'])
    .where('name', '=', name)
    .where('kind', '=', 'http')
    .executeTakeFirst();
  const sealed = row?.sealed_receipt_secret ?? null;
  if (row === undefined || sealed === null) return null;
  const expected = Buffer.from(unseal(env.serverKey, receiptSecretPurpose, sealed));
  const given = Buffer.from(secret);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return httpSettings.allows(row.settings) ? { id: row.id, settings: row.settings } : null;
}

/** A receipt as an HTTP provider sends it; the provider's own rules find the message and its state in it. */
interface ReceiptRequest {
  /** Without the question mark. */
  query: string;
  contentType: string;
  body: string;
}

/** Null if the rules find no message, or the provider has no rules. A message that matches neither rule is underway. */
function readHttpReceipt(rules: HttpProviderSettings['receipt'], request: ReceiptRequest): Receipt | null {
  if (rules === undefined) return null;
  const text = receiptText(request);
  const messageId = new RegExp(rules.message_id, 's').exec(text)?.[1];
  if (messageId === undefined || !isStorable(messageId)) return null;
  if (new RegExp(rules.failed, 's').test(text)) return { messageId, state: 'failed' };
  return { messageId, state: new RegExp(rules.delivered, 's').test(text) ? 'delivered' : 'underway' };
}

/** The text for the rules: parameters of the query and of a form as lines `name=value`, any other body as it is. */
function receiptText({ query, contentType, body }: ReceiptRequest): string {
  const isForm = /x-www-form-urlencoded/i.test(contentType);
  return [...lines(query), ...(isForm ? lines(body) : [body])].join('\n');
}

const lines = (form: string) => [...new URLSearchParams(form)].map(([name, value]) => `${name}=${value}`);

/** A receipt may arrive before its message is stored. */
const waitsMs = [0, 200, 1000, 3000];

/** Stores what became of a message; a failed one fails its verification. Returns whether the message is known. */
export async function recordReceipt(
  env: Environment,
  providerId: string,
  { messageId, state }: Receipt,
): Promise<boolean> {
  if (state === 'underway') return true;
  for (const wait of waitsMs) {
    await pause(wait);
    if (await record(env, providerId, messageId, state)) return true;
  }
  env.log.info({ provider: providerId }, 'a delivery receipt for no message that is known');
  return false;
}

function record(
  env: Environment,
  providerId: string,
  messageId: string,
  state: 'delivered' | 'failed',
): Promise<boolean> {
  const now = env.clock.now();
  return inTransaction(env.db, async (trx) => {
    const message = await trx
      .updateTable('verification_sent_messages')
      .set({ receipt: state, receipt_at: now })
      .where('provider_id', '=', providerId)
      .where('message_id', '=', messageId)
      .returning('verification_id')
      .executeTakeFirst();
    if (message === undefined) return false;
    if (state === 'failed') {
      await trx
        .updateTable('verifications')
        .set({ status: 'failed', error_code: 'dispatch_failed', final_at: now })
        .where('id', '=', message.verification_id)
        .where(stillPending(now))
        .execute();
    }
    return true;
  });
}
