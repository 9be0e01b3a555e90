/**
 * `/providers/{name}/receipts`: where HTTP providers report what became of messages. Each provider has a secret of its own,
 * sent as a bearer token, as the password of Basic, or as `secret` in the query, whichever the provider can be told.
 */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Value } from 'typebox/value';
import { createFailedAuthentications, shippedFailureLimit } from '../../accounts/failed-authentication.ts';
import { unseal } from '../../accounts/sealing.ts';
import type { Environment } from '../../environment.ts';
import { isTooLong, readBody } from '../http/read-body.ts';
import { HttpProviderSettings } from './http-provider.ts';
import { readHttpReceipt } from './http-receipt.ts';
import { RECEIPT_SECRET } from './manage-providers.ts';
import { recordReceipt } from './record-receipt.ts';

export async function receiptsRoom(app: FastifyInstance, env: Environment): Promise<void> {
  const failures = createFailedAuthentications();
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
      // A provider that retries may send it again: it may be about a message that another process has yet to note.
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
  const row = await env.db
    .selectFrom('verification_providers')
    .select(['id', 'settings', 'sealed_receipt_secret'])
    .where('name', '=', name)
    .where('kind', '=', 'http')
    .executeTakeFirst();
  const sealed = row?.sealed_receipt_secret ?? null;
  if (row === undefined || sealed === null) return null;
  const expected = Buffer.from(unseal(env.serverKey, RECEIPT_SECRET, sealed));
  const given = Buffer.from(secret);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return Value.Check(HttpProviderSettings, row.settings) ? { id: row.id, settings: row.settings } : null;
}
