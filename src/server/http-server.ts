/** One environment's HTTP server: what every answer has, whichever room gives it. */
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { InFlight, type InFlightLimits } from '../db/in-flight.ts';
import { isUnavailable, retryAfterSeconds } from '../db/unavailable.ts';
import type { Environment } from '../environment.ts';
import { refuseBrokenRequest, refuseExpectation } from './broken-request.ts';
import { registerHealth } from './health.ts';
import { registerHome } from './home.ts';
import { loggedPath } from './logged-path.ts';
import { createMetrics } from './metrics.ts';
import { refusalFor } from './refusals.ts';
import { requestIdOf } from './request-id.ts';
import {
  largestHead,
  limitConnections,
  type RequestLimits,
  registerRequestLimits,
  shippedLimits,
} from './request-limits.ts';
import { registerRequestWork } from './request-work.ts';
import type { Room } from './rooms.ts';

export interface HttpServerOptions {
  /** Addresses and networks whose X-Forwarded-* headers count. */
  trustedProxies?: string[];
  rooms: readonly Room[];
  limits?: Partial<RequestLimits>;
  /** How many requests are worked on at a time. */
  inFlight?: InFlightLimits;
  /** Addresses whose connections are not counted, beside the trusted proxies. */
  uncounted?: readonly string[];
  /** Left out by a process that runs no jobs. */
  areWorkersAlive?: () => boolean;
}

/** The largest request body (contract: over 1 MiB is 413). */
const bodyLimit = 1024 * 1024;

export async function createHttpServer(env: Environment, options: HttpServerOptions): Promise<FastifyInstance> {
  const logger: FastifyBaseLogger = env.log;
  const trusted = options.trustedProxies ?? [];
  const limits = { ...shippedLimits, ...options.limits };
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    // One line per request is written below, without the query: values in it may be secret.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    requestIdHeader: false,
    genReqId: requestIdOf,
    trustProxy: trusted.length > 0 ? trusted : false,
    bodyLimit,
    // An id that cannot be one, too long or wrongly encoded, is for its room to answer: there is no such record.
    routerOptions: { maxParamLength: largestHead },
    requestTimeout: limits.requestMs,
    http: {
      maxHeaderSize: largestHead,
      // A request without Host is refused by a hook, in the form of its interface.
      requireHostHeader: false,
      headersTimeout: limits.headersMs,
      // How often Node looks for requests that take too long; never rarer than they would be late.
      connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
    },
    rewriteUrl: ({ url = '/' }) =>
      isDecodable(url) ? url : url.replace(/^[^?]*/, (path) => path.replaceAll('%', '%25')),
    forceCloseConnections: 'idle',
    // A request that comes over an open connection while the server stops is still answered; see `closing` below.
    return503OnClosing: false,
    clientErrorHandler: refuseBrokenRequest,
    // A path that cannot be decoded never reaches the hooks below.
    frameworkErrors: (error, request: FastifyRequest, reply: FastifyReply) => {
      const refusal = refusalFor(request.raw.url ?? null, error.statusCode === 414 ? 414 : 400, request.headers.origin);
      reply.header('x-request-id', request.id).headers(refusal.headers).code(refusal.status).send(refusal.body);
    },
  });
  app.server.on('checkExpectation', refuseExpectation);
  limitConnections(app.server, limits.connectionsPerAddress, [...trusted, ...(options.uncounted ?? ['loopback'])]);
  const metrics = createMetrics(env);

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  // While it stops, the last answer on a connection must not leave it open for another request that cannot come.
  let listened = false;
  app.addHook('onListen', async () => {
    listened = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (listened && !app.server.listening) reply.header('connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.observe(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
    request.log.info(
      {
        method: request.method,
        path: loggedPath(request.url),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ip: request.ip,
      },
      'request',
    );
  });
  // In a room this is reached by methods that the framework does not know.
  app.setNotFoundHandler((request, reply) => {
    const status = /^\/v3(?:[/?]|$)/.test(request.url) ? 405 : 404;
    const refusal = refusalFor(request.url, status, request.headers.origin);
    return reply.code(refusal.status).headers(refusal.headers).send(refusal.body);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (isUnavailable(error)) {
      return reply.code(503).header('retry-after', String(retryAfterSeconds)).send({ error: 'Try again in a moment' });
    }
    const status = error.statusCode ?? 500;
    if (status >= 500) request.log.error({ err: error }, 'request failed');
    return reply.code(status).send({ error: status >= 500 ? 'Internal server error' : error.message });
  });

  registerRequestLimits(app, limits);
  registerRequestWork(app, new InFlight(options.inFlight));
  registerHome(app);
  registerHealth(app, env, options.areWorkersAlive);
  metrics.register(app);
  for (const room of options.rooms) await app.register(async (scope) => room(scope, env));
  await app.ready();
  return app;
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '');
    return true;
  } catch {
    return false;
  }
}
