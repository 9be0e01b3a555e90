/** `/panel/v1`: what the panel needs and the public interfaces lack. Only a session can use it, never an API key. */
import type { FastifyInstance } from 'fastify';
import { admittedCaller } from '../accounts/authenticate.ts';
import { createRateLimiter } from '../accounts/rate-limit.ts';
import { shareCounts } from '../accounts/shared-counts.ts';
import { retryAfter } from '../db/unavailable.ts';
import { chargeWorkTo, noteWorkCaller } from '../db/work.ts';
import type { Environment } from '../environment.ts';
import { readStorableJson, UnreadableJson } from '../incoming-json.ts';
import { ApiError, errors } from '../jsonapi/errors.ts';
import { sendErrors } from '../jsonapi/http.ts';
import { registerResources } from '../jsonapi/routes.ts';
import { baseUrlOf, createQueryRunner, createTransactionRunner } from '../platform/context.ts';
import { refuseCaller, tooManyRequests } from '../platform/refusals.ts';
import { registerActing } from './acting.ts';
import { type PanelContext, type PanelOptions, personalTypes } from './context.ts';
import { registerEventReceiver } from './event-receiver.ts';
import { registerEvents } from './events.ts';
import { registerLogin } from './login-routes.ts';
import { panelRegistry, plainRoutes } from './resources.ts';
import { registerSignIn, requireSession } from './sign-in.ts';
import { registerWebFiles } from './web-files.ts';

/** The panel and this interface come from the same process, so there is only one. */
const version = '1';

const safety = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  vary: 'Cookie',
};

const bodyLimit = 64 * 1024;

export const panelRoom =
  (options: PanelOptions) =>
  async (app: FastifyInstance, env: Environment): Promise<void> => {
    registerWebFiles(app, env);
    await app.register(async (scope) => registerPlainRoutes(scope, env, options), { prefix: '/panel/v1' });
    await app.register(async (scope) => registerTypes(scope, env, options), { prefix: '/panel/v1' });
  };

function registerTypes(app: FastifyInstance, env: Environment, options: PanelOptions): void {
  const rateLimit = createRateLimiter((heard) => shareCounts(env, 'requests of the panel', heard));
  const query = createQueryRunner(env.pool);
  const transaction = createTransactionRunner(env.db);
  registerResources<PanelContext>(app, {
    registry: panelRegistry,
    newestVersion: version,
    commonHeaders: () => safety,
    bodyLimit,
    extraRoutes: plainRoutes,
    unavailable: retryAfter,
    admit: ({ caller }) => {
      const wait = caller ? rateLimit(caller) : 0;
      if (wait > 0) throw tooManyRequests(wait);
    },
    contextOf: async (request, { type }) => {
      const session = await requireSession(env, request, options);
      const caller = await admittedCaller(env, session, request).catch(refuseCaller);
      if (caller === null && (type === undefined || !personalTypes.has(type))) {
        throw new ApiError([errors.forbidden('Act as a customer first.')]);
      }
      if (caller !== null) {
        noteWorkCaller(caller);
        chargeWorkTo(caller.accountId);
      }
      return {
        env,
        session,
        address: request.ip,
        caller,
        query,
        transaction,
        tenant: caller && { accountId: caller.accountId },
        now: env.clock.now(),
        baseUrl: `${baseUrlOf(env, request)}/panel/v1`,
        apiVersion: version,
        defaultPageSize: 50,
        maxPageSize: caller?.maxPageSize ?? 100,
        ...(caller ? { features: caller.features } : {}),
        shownOnce: { secret: null },
      };
    },
  });
}

/** Plain JSON in, and the engine's errors out. */
function registerPlainRoutes(app: FastifyInstance, env: Environment, options: PanelOptions): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(safety);
  });
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => {
    try {
      return body.length === 0 ? undefined : readStorableJson(body);
    } catch (error) {
      throw error instanceof UnreadableJson ? new ApiError([errors.badRequest(error.message)]) : error;
    }
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const wait = retryAfter(error);
    if (wait !== null) {
      reply.header('retry-after', String(wait));
      return sendErrors(reply, [errors.unavailable()], version);
    }
    if (error instanceof ApiError) return sendErrors(reply.headers(error.headers), error.errors, version);
    const status = error.statusCode ?? 500;
    if (status < 500) return sendErrors(reply, [errors.refused(status, 'Bad Request', error.message)], version);
    request.log.error({ err: error }, 'request failed');
    return sendErrors(reply, [errors.internal()], version);
  });
  registerSignIn(app, env, options);
  registerActing(app, env, options);
  registerLogin(app, env, options);
  registerEvents(app, env, options);
  registerEventReceiver(app, env);
}
