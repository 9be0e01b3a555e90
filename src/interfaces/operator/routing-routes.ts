/** The dry runs of routing: where a call to one of our numbers would go now, and which carrier would get a call out. */
import type { FastifyInstance } from 'fastify';
import { isUuid } from '../../base/uuid.ts';
import { dryRunInbound } from '../../business/voice/inbound/dry-run.ts';
import { dryRunOutbound } from '../../business/voice/outbound/dry-run.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { type ContextOf, digitsOf, ownMedia, parametersOf } from './own-route.ts';

export function routingRoute(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/routing', { config: ownMedia('routing') }, async (request, reply) => {
    const context = contextOf(request);
    // `from` may be anonymous; `to` is a number of ours.
    const { from, to } = parametersOf(request, 'from', 'to');
    const call = { from, to: digitsOf('to', to) };
    const { refusal, trunks, notes, accountId } = await dryRunInbound(context.env, call);
    return reply.header('cache-control', 'no-store').send({
      decision: refusal === null ? 'routed' : 'refused',
      code: refusal?.code ?? null,
      reason: refusal?.text ?? null,
      account_id: accountId,
      trunks,
      notes,
    });
  });
}

export function outboundRoutingRoute(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/outbound_routing', { config: ownMedia('routing') }, async (request, reply) => {
    const context = contextOf(request);
    const { trunk, from, to } = parametersOf(request, 'trunk', 'from', 'to');
    const found = isUuid(trunk) ? await dryRunOutbound(context.env, { trunkId: trunk, from, to }) : null;
    if (found === null) throw new ApiError([errors.recordNotFound(trunk)]);
    const { refusal, rate } = found;
    return reply.header('cache-control', 'no-store').send({
      decision: refusal === null ? 'routed' : 'refused',
      code: refusal?.code ?? null,
      reason: refusal?.text ?? null,
      account_id: found.accountId,
      trunk: found.trunkName,
      src_number: found.srcNumber,
      destination: found.destination,
      rate: rate && { per_minute: rate.perMinute, country: rate.country, network: rate.network },
      carriers: found.carriers.map(({ cost, ...carrier }) => ({ ...carrier, per_minute: cost?.perMinute ?? null })),
      notes: found.notes,
    });
  });
}
