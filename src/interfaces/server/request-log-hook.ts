/** Hands every response to the log of requests. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestWork } from '../../engines/db/work.ts';
import type { Environment } from '../../engines/environment.ts';
import { routeOf } from '../../engines/jsonapi/route-table.ts';
import { interfaceOf } from './interface-of.ts';
import { loggedPath } from './logged-path.ts';
import type { Metrics } from './metrics.ts';
import { createRequestLog } from './request-log.ts';

interface Known {
  workOf(request: FastifyRequest): RequestWork | null;
  metrics: Metrics;
}

export function registerRequestLog(app: FastifyInstance, env: Environment, days: number, known: Known): void {
  const log = createRequestLog(env, days);
  known.metrics.watchRequestLog(log);
  app.addHook('onResponse', (request, reply, done) => {
    done();
    // Pages, health and metrics are not kept: monitoring asks for them every few seconds.
    if (interfaceOf(request) === null) return;
    const caller = known.workOf(request)?.caller ?? null;
    log.note({
      at: env.clock.now(),
      accountId: caller?.accountId ?? null,
      callerKind: caller?.actor.kind ?? null,
      callerId: caller?.actor.id ?? null,
      method: request.method,
      route: routeOf(request) ?? 'unknown',
      path: loggedPath(request.url),
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime),
      address: request.ip,
      requestId: request.id,
    });
  });
  app.addHook('onClose', () => log.close());
}
