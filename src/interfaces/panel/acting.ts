/**
 * `/panel/v1/acting`: an operator acts as a customer (POST) until ending it (DELETE). The session keeps the operator;
 * what it may change is what comes nearest to the operator's role, and every change is in the audit log.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isUuid } from '../../base/uuid.ts';
import { writeAudit } from '../../business/audit.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { checkerOf, shape } from '../../engines/typed-schema.ts';
import type { PanelOptions } from './context.ts';
import { showSession } from './session-document.ts';
import { requirePanel, requireSession } from './sign-in.ts';

export const actingBody = shape.object({
  account_id: shape.string(),
  reason: shape.string({ pattern: '\\S', maxLength: 1000 }),
});
const wanted = checkerOf(actingBody);

export function registerActing(app: FastifyInstance, env: Environment, options: PanelOptions): void {
  app.post('/acting', async (request, reply) => {
    const session = await operatorOf(request);
    const { body } = request;
    if (!wanted.allows(body) || !isUuid(body.account_id)) {
      throw new ApiError([
        errors.badRequest('The id of an account is needed, and the reason why you act as this customer.'),
      ]);
    }
    const account = await env.db
      .selectFrom('accounts')
      .select('id')
      .where('id', '=', body.account_id)
      .executeTakeFirst();
    if (account === undefined) throw new ApiError([errors.recordNotFound(body.account_id)]);
    await change(request, session, account.id, 'session.acting_began', body.reason.trim());
    return reply.send(await showSession(env, await requireSession(env, request, options)));
  });

  app.delete('/acting', async (request, reply) => {
    const session = await operatorOf(request);
    if (session.caller !== null) {
      await change(request, { ...session, accountId: session.caller.accountId }, null, 'session.acting_ended', null);
    }
    return reply.send(await showSession(env, await requireSession(env, request, options)));
  });

  async function operatorOf(request: FastifyRequest) {
    requirePanel(env, request);
    const { id, operator, caller } = await requireSession(env, request, options);
    if (operator === null) throw new ApiError([errors.forbidden('Only an operator can act as a customer.')]);
    return { id, operator, caller };
  }

  function change(
    request: FastifyRequest,
    session: Pick<Awaited<ReturnType<typeof operatorOf>>, 'id' | 'operator'> & { accountId?: string },
    accountId: string | null,
    action: 'session.acting_began' | 'session.acting_ended',
    reason: string | null,
  ): Promise<void> {
    const { id, operator } = session;
    const concerned = accountId ?? session.accountId ?? null;
    return inTransaction(env.db, async (trx) => {
      await trx
        .updateTable('panel_sessions')
        .set({ account_id: accountId, acting_reason: reason })
        .where('id', '=', id)
        .execute();
      await writeAudit(trx, {
        at: env.clock.now(),
        by: operator,
        source: request.ip,
        action,
        accountId: concerned,
        subject: { type: 'accounts', id: concerned ?? operator.id },
        reason,
      });
    });
  }
}
