/** `GET /panel/v1/routing?from=…&to=…`: where a call to one of the account's numbers would go now; no call is made. */
import type { FastifyInstance } from 'fastify';
import { dryRunInbound } from '../../business/voice/inbound/dry-run.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { callerOf } from '../platform/context.ts';
import { type ContextOf, parametersOf, plain } from './plain-routes.ts';

export function routingRoute(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/routing', { config: plain('routing') }, async (request, reply) => {
    const context = contextOf(request);
    const { from = 'anonymous', to = '' } = parametersOf(request, ['from', 'to']);
    const digits = to.replace(/^[+ ]/, '');
    if (!/^\d{3,20}$/.test(digits)) throw new ApiError([errors.invalidFieldValue(to, 'to')]);
    const run = await dryRunInbound(context.env, { from: from.trim().replace(/^[+ ]/, ''), to: digits });
    // Another account's number is like an unknown one; its owner is not revealed.
    if (run.accountId !== callerOf(context).accountId) throw new ApiError([errors.recordNotFound(digits)]);
    const { refusal, trunks, notes } = run;
    return reply.send({
      decision: refusal === null ? 'routed' : 'refused',
      code: refusal?.code ?? null,
      reason: refusal?.text ?? null,
      trunks,
      notes,
    });
  });
}
