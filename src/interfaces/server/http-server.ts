/** One environment's HTTP server: what all responses have in common, whichever room gives them. */
import type { ServerOptions } from 'node:http';
import { Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { unavailability } from '../../engines/db/outcome.ts';
import { retryAfterSeconds } from '../../engines/db/unavailable.ts';
import { routeOf } from '../../engines/jsonapi/route-table.ts';
import { withoutLastSlash } from '../../engines/jsonapi/routes.ts';
import type { Front } from '../worlds/dispatch.ts';
import { insideWorld } from '../worlds/world-path.ts';
import { InFlight, type InFlightLimits } from './in-flight.ts';
import { registerInjectedFaults } from './injected-faults.ts';
import { interfaceOf } from './interface-of.ts';
import { loggedPath } from './logged-path.ts';
import { createMetrics } from './metrics.ts';
import { metricsReaders } from './metrics-readers.ts';
import { createGate } from './overload.ts';
import { registerHealth, registerHome } from './pages.ts';
import { type ReaderLimits, Readers } from './readers.ts';
import { refusalFor, refuseBrokenRequest, refuseExpectation, requestIdOf } from './refusals.ts';
import {
  largestHead,
  limitConnections,
  type RequestLimits,
  registerRequestLimits,
  shippedLimits,
} from './request-limits.ts';
import { registerRequestLog } from './request-log-hook.ts';
import { RequestLogger } from './request-logger.ts';
import { registerRequestWork } from './request-work.ts';
import type { Room } from './rooms.ts';
import { registerSandboxRequests } from './sandbox-requests.ts';
import { isSipUpgrade, registerSipSocket } from './sip-socket.ts';
import { TidyServer } from './tidy-server.ts';
import { registerTracing } from './trace-hook.ts';
import { Turns } from './turns.ts';
import type { Watched } from './watched-metrics.ts';
import type { WholeEnvironment } from './whole-environment.ts';

export interface HttpServerOptions {
  /** Addresses and networks whose X-Forwarded-* headers count. */
  trustedProxies?: string[];
  rooms: readonly Room[];
  limits?: Partial<RequestLimits>;
  /** How many requests are handled at a time. */
  inFlight?: InFlightLimits;
  /** Shared by all servers of a process. */
  turns?: Turns;
  /** What clients may be owed that do not read their answers. */
  readers?: Partial<ReaderLimits>;
  /** Addresses whose connections are not limited, beside the trusted proxies. */
  uncounted?: readonly string[];
  /** How many days requests are kept for operators; absent, they are not. */
  requestLogDays?: number;
  /** Networks that may read /metrics, beside this machine and operators. */
  metricsNetworks?: readonly string[];
  /** Origins of pages of others that may open SIP over WebSocket. */
  sipOrigins?: readonly string[];
  /** What the metrics watch for alerts. */
  watched?: Watched;
  /** Gets every request first, and may hand it to a world. */
  front?: Front;
}

/** The largest request body (contract: over 1 MiB is 413). */
const bodyLimit = 1024 * 1024;
/** Longer than proxies keep connections open (usually 60 s), so that they never send a request into a closing one. */
const keepAliveMs = 72_000;

export async function createHttpServer(env: WholeEnvironment, options: HttpServerOptions): Promise<FastifyInstance> {
  const logger: FastifyBaseLogger = env.log;
  const trusted = options.trustedProxies ?? [];
  const limits = { ...shippedLimits, ...options.limits };
  const inFlight = new InFlight(options.inFlight);
  const turns = options.turns ?? new Turns();
  const metrics = createMetrics(env, turns, options.watched);
  const front: Front = options.front ?? ((_request, _response, next) => next());
  const onRefused = ({ method = '' }) => metrics.refused(method);
  const readers = new Readers(metrics.cut, options.readers);
  const pass = createGate({ inFlight, turns, readers, onRefused });
  const nodeOptions: ServerOptions = {
    maxHeaderSize: largestHead,
    // A request without Host is refused by a hook, in the form of its interface.
    requireHostHeader: false,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    // How often Node looks for requests that exceed their time limit: at least once per limit.
    connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
    keepAliveTimeout: keepAliveMs,
    shouldUpgradeCallback: isSipUpgrade,
  };
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    childLoggerFactory: (parent, bindings, options) => new RequestLogger(parent, bindings, options),
    // The line below leaves the query out: values in it may be secret.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    requestIdHeader: false,
    genReqId: requestIdOf,
    trustProxy: trusted.length > 0 ? trusted : false,
    bodyLimit,
    // Ids that are too long or wrongly encoded still reach their room, which responds 404 in its own form.
    routerOptions: { maxParamLength: largestHead },
    serverFactory: (handle) =>
      new TidyServer(nodeOptions, (request, response) =>
        front(request, response, () => pass(request, response, handle)),
      ),
    rewriteUrl: ({ url = '/' }) => routedUrl(env.path === undefined ? url : insideWorld(url)),
    forceCloseConnections: 'idle',
    // Requests that arrive on open connections while the server stops are still handled; see `onSend` below.
    return503OnClosing: false,
    clientErrorHandler: refuseBrokenRequest,
    // A path that cannot be decoded does not reach the hooks below.
    frameworkErrors: (error, request: FastifyRequest, reply: FastifyReply) => {
      const refusal = refusalFor(request.raw.url ?? null, error.statusCode === 414 ? 414 : 400, request.headers.origin);
      reply.header('x-request-id', request.id).headers(refusal.headers).code(refusal.status).send(refusal.body);
    },
  });
  app.server.on('checkExpectation', refuseExpectation);
  limitConnections(app.server, limits.connectionsPerAddress, [...trusted, ...(options.uncounted ?? ['loopback'])]);

  // Hooks of every request call back instead of being async: a promise for each costs more than what they do.
  const isSecure = env.publicUrl?.startsWith('https:') === true;
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    if (isSecure) reply.header(...strictTransport);
    done();
  });
  registerTracing(app, env);
  // While the server stops, a response closes its connection, which would otherwise stay open and idle.
  let listened = false;
  app.addHook('onListen', async () => {
    listened = true;
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    // Whoever says so: a client that is to come back is told when.
    if (reply.statusCode === 503 && !reply.hasHeader('retry-after'))
      reply.header('retry-after', String(retryAfterSeconds));
    if (listened && !app.server.listening) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    done();
    const route = routeOf(request) ?? 'unknown';
    metrics.observe(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
    if (!env.log.isLevelEnabled('info')) return;
    // Requests that the server sends to itself (the demo's first records) are nobody's business.
    request.log[request.raw.socket instanceof Socket ? 'info' : 'debug'](
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
  // Requests to a room get here when the framework does not know their method; other ones are to what is not served
  // here.
  app.setNotFoundHandler((request, reply) => {
    const isOtherMethod = !app.supportedMethods.includes(request.method);
    const status = isOtherMethod && ['v3', 'operator/v1'].includes(interfaceOf(request) ?? '') ? 405 : 404;
    const refusal = refusalFor(request.url, status, request.headers.origin);
    return reply.code(refusal.status).headers(refusal.headers).send(refusal.body);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const wait = unavailability(error);
    if (wait !== null) {
      const body = { error: 'Try again in a moment', outcome: wait.outcome };
      return reply.code(503).header('retry-after', String(wait.retryAfter)).send(body);
    }
    const status = error.statusCode ?? 500;
    if (status >= 500) request.log.error({ err: error }, 'request failed');
    return reply.code(status).send({ error: status >= 500 ? 'Internal server error' : error.message });
  });

  registerRequestLimits(app, limits);
  const workOf = registerRequestWork(app, inFlight);
  if (options.requestLogDays) registerRequestLog(app, env, options.requestLogDays, { workOf, metrics });
  // Before the faults, which may cut a response off: the record has the whole of it.
  registerSandboxRequests(app, env, workOf);
  registerInjectedFaults(app, env);
  registerHealth(app, env, options.watched);
  registerSipSocket(app, env, options.sipOrigins ?? []);
  metrics.register(app, metricsReaders(app, env, options.metricsNetworks ?? []));
  for (const room of options.rooms) await app.register(async (scope) => room(scope, env));
  if (!app.hasRoute({ method: 'GET', url: '/' })) registerHome(app);
  await app.ready();
  return app;
}

/** Browsers come by HTTPS from then on, for a year; other names of the domain are not ours to speak for. */
const strictTransport = ['strict-transport-security', 'max-age=31536000'] as const;

/** Interfaces whose paths may end with a slash. */
const slashIgnored = /^\/(?:v3|api\/v1|operator\/v1|panel\/v1)\//;

/** A proxy may send the whole URL; what is left of it is what every route and hook sees. */
function routedUrl(sent: string): string {
  const given = sent.replace(/^https?:\/\/[^/?#]*(?=\/)/i, '');
  const url = slashIgnored.test(given) ? withoutLastSlash(given) : given;
  return isDecodable(url) ? url : url.replace(/^[^?]*/, (path) => path.replaceAll('%', '%25'));
}

function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true;
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '');
    return true;
  } catch {
    return false;
  }
}
