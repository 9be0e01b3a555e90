/**
 * `POST /panel/v1/secret_reveals`: shows the passwords of one trunk to a person who may change it. The documents of the
 * panel leave them out, so every look at one is an act, and in the audit log.
 */
import type { FastifyInstance } from 'fastify';
import { isUuid } from '../../base/uuid.ts';
import { writeAudit } from '../../business/audit.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { shape } from '../../engines/typed-schema.ts';
import { callerOf } from '../platform/context.ts';
import { acceptJson, bodyOf, type ContextOf, plain } from './plain-routes.ts';

/** Type → the column with the object that has the secrets, and their names. */
export const revealed = {
  voice_in_trunks: { column: 'configuration', members: ['auth_password', 'incoming_auth_password'] },
  voice_out_trunks: { column: 'authentication', members: ['password'] },
} as const satisfies Readonly<Record<string, { column: string; members: readonly string[] }>>;

type RevealedType = keyof typeof revealed;

const isRevealed = (type: string): type is RevealedType => Object.hasOwn(revealed, type);

export const secretBody = shape.object({ type: shape.string(), id: shape.string() });
const wanted = bodyOf(secretBody, 'A type and an id are needed.');

export function secretsRoute(app: FastifyInstance, contextOf: ContextOf): void {
  acceptJson(app);
  app.post('/secret_reveals', { config: plain('secret_reveals') }, async (request, reply) => {
    const context = contextOf(request);
    const { env, session, address } = context;
    const { type, id } = wanted(request);
    if (!isRevealed(type) || !isUuid(id)) throw new ApiError([errors.recordNotFound(id)]);
    const { accountId, actor } = callerOf(context);
    const secrets = await inTransaction(env.db, async (trx) => {
      const row = await trx
        .selectFrom(type)
        .select((eb) => eb.ref(revealed[type].column).as('holder'))
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      if (row === undefined) throw new ApiError([errors.recordNotFound(id)]);
      const found = secretsIn(row.holder, revealed[type].members);
      await writeAudit(trx, {
        at: env.clock.now(),
        by: session.operator ?? actor,
        source: address,
        action: 'secret.revealed',
        accountId,
        subject: { type, id },
        details: { members: Object.keys(found), ...(session.member ? { member: session.member.id } : {}) },
      });
      return found;
    });
    return reply.code(201).send({ type, id, secrets });
  });
}

function secretsIn(holder: unknown, members: readonly string[]): Record<string, string> {
  const stored = new Map(Object.entries(typeof holder === 'object' && holder !== null ? holder : {}));
  return Object.fromEntries(
    members.flatMap((name) => {
      const value: unknown = stored.get(name);
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}
