/** A span for each request; what the request does is inside it. */
import type { FastifyInstance } from 'fastify';
import { RequestSlot } from '../../base/request-slot.ts';
import type { Environment } from '../../engines/environment.ts';
import { routeOf } from '../../engines/jsonapi/route-table.ts';
import { isTracing, markFailed, type RequestSpan, requestSpan } from '../../engines/tracing.ts';
import { loggedPath } from './logged-path.ts';

export function registerTracing(app: FastifyInstance, env: Pick<Environment, 'name'>): void {
  if (!isTracing()) return;
  const spans = new RequestSlot<RequestSpan>('span');
  app.addHook('onRequest', (request, _reply, done) => {
    const begun = requestSpan(request.headers, request.method, {
      'http.request.method': request.method,
      'url.path': loggedPath(request.url),
      'trunkline.environment': env.name,
      'trunkline.request_id': request.id,
    });
    if (begun === null) return done();
    spans.set(request, begun);
    begun.run(done);
  });
  // Reading a body continues in events of the socket, outside the request's context: enter it again.
  app.addHook('preValidation', (request, _reply, done) => {
    const begun = spans.get(request);
    if (begun === undefined) done();
    else begun.run(done);
  });
  app.addHook('onResponse', async (request, reply) => {
    const span = spans.get(request)?.span;
    if (span === undefined) return;
    const route = routeOf(request) ?? 'unknown';
    span.updateName(`${request.method} ${route}`);
    span.setAttribute('http.route', route);
    span.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) markFailed(span);
    span.end();
  });
}
