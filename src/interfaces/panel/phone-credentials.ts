/**
 * `POST /panel/v1/phone_credentials`: lets the browser of a person who may make calls register for an inbound trunk, or
 * call through an outbound one, for some minutes. The passwords of the trunk itself stay hidden.
 */
import type { FastifyInstance } from 'fastify';
import { isUuid } from '../../base/uuid.ts';
import { phoneCredentials } from '../../business/voice/phone-credentials.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { shape } from '../../engines/typed-schema.ts';
import { callerOf } from '../platform/context.ts';
import { acceptJson, bodyOf, type ContextOf, plain } from './plain-routes.ts';

const directions = { voice_in_trunks: 'in', voice_out_trunks: 'out' } as const;

const isTrunkType = (type: string): type is keyof typeof directions => Object.hasOwn(directions, type);

export const phoneBody = shape.object({ type: shape.string(), id: shape.string() });
const wanted = bodyOf(phoneBody, 'A type and an id are needed.');

export function phoneCredentialsRoute(app: FastifyInstance, contextOf: ContextOf): void {
  acceptJson(app);
  app.post('/phone_credentials', { config: plain('phone_credentials') }, async (request, reply) => {
    const context = contextOf(request);
    const { env } = context;
    const { type, id } = wanted(request);
    if (!isTrunkType(type) || !isUuid(id)) throw new ApiError([errors.recordNotFound(id)]);
    const { accountId, sessionId } = callerOf(context);
    if (sessionId === null) throw new ApiError([errors.forbidden('A phone in the browser belongs to a session.')]);
    const trunk = await env.db
      .selectFrom(type)
      .select('id')
      .$if(type === 'voice_in_trunks', (trunks) =>
        trunks.where((eb) => eb.ref('configuration', '->>').key('enabled_sip_registration'), '=', 'true'),
      )
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    if (trunk === undefined) throw new ApiError([errors.recordNotFound(id)]);
    const { username, password, expiresAt } = phoneCredentials(env, {
      direction: directions[type],
      trunkId: id,
      sessionId,
    });
    return reply.code(201).send({ type, id, username, password, expires_at: expiresAt });
  });
}
