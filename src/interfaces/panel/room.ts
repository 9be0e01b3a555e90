/** `/panel/v1`: what the panel needs and the public interfaces lack. Only a session can use it, never an API key. */
import type { FastifyInstance } from 'fastify';
import { readStorableJson, UnreadableJson } from '../../base/incoming-json.ts';
import { markRecordsOf } from '../../business/accounts/acting.ts';
import { admittedCaller, closeToOperators } from '../../business/accounts/authenticate.ts';
import type { Caller } from '../../business/accounts/caller.ts';
import { createRateLimiter } from '../../business/accounts/rate-limit.ts';
import { unavailability } from '../../engines/db/outcome.ts';
import { chargeWorkTo, noteWorkCaller } from '../../engines/db/work.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { sendErrors } from '../../engines/jsonapi/http.ts';
import { registerResources } from '../../engines/jsonapi/routes.ts';
import { baseUrlOf, createQueryRunner, createTransactionRunner } from '../platform/context.ts';
import { refuseCaller, tooManyRequests } from '../platform/refusals.ts';
import { registerActing } from './acting.ts';
import { registerConfirmation, requireProof } from './confirmation.ts';
import { type PanelContext, type PanelEnvironment, type PanelOptions, personalTypes } from './context.ts';
import { registerEventReceiver } from './event-receiver.ts';
import { registerEvents } from './events.ts';
import { registerLoginEmail } from './login-email.ts';
import { registerLoginLinks } from './login-links.ts';
import { registerOwnLogin } from './own-login.ts';
import { requireNamed } from './plain-access.ts';
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
  async (app: FastifyInstance, env: PanelEnvironment): Promise<void> => {
    if (!options.operators) closeToOperators(app);
    registerWebFiles(app, env);
    await app.register(async (scope) => registerPlainRoutes(scope, env, options), { prefix: '/panel/v1' });
    await app.register(async (scope) => registerTypes(scope, env, options), { prefix: '/panel/v1' });
  };

function registerTypes(app: FastifyInstance, env: PanelEnvironment, options: PanelOptions): void {
  const rateLimit = createRateLimiter((heard) => env.changes.counts.join('requests of the panel', heard));
  const query = createQueryRunner(env.pool);
  const transaction = createTransactionRunner(env.db);
  registerResources<PanelContext>(app, {
    registry: panelRegistry,
    newestVersion: version,
    commonHeaders: () => safety,
    bodyLimit,
    extraRoutes: plainRoutes,
    unavailable: unavailability,
    admit: ({ caller }) => {
      const wait = caller ? rateLimit(caller) : 0;
      if (wait > 0) throw tooManyRequests(wait);
    },
    contextOf: async (request, route) => {
      const session = await requireSession(env, request, options);
      const type = route?.type ?? null;
      const subject = route && { interface: 'panel/v1' as const, type, reads: route.access === 'read' };
      const caller = await admittedCaller(env, session, request, subject).catch(refuseCaller);
      requireProof(env, session, request);
      if (caller === null && (type === null || !personalTypes.has(type))) {
        throw new ApiError([errors.forbidden('Act as a customer first.')]);
      }
      requireUse(caller, request.method);
      if (caller !== null) {
        noteWorkCaller(caller);
        chargeWorkTo(caller.accountId);
      }
      return {
        env,
        db: env.db,
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
        ...markRecordsOf(env.db, env.clock, caller, request.ip),
      };
    },
  });
}

/** A suspended account looks on, and may end access; it makes and changes nothing. */
function requireUse(caller: Caller | null, method: string): void {
  if (caller?.suspensionReason == null || ['GET', 'HEAD', 'DELETE'].includes(method)) return;
  throw new ApiError([errors.forbidden(caller.suspensionReason)]);
}

/** Plain JSON in, and the engine's errors out. */
function registerPlainRoutes(app: FastifyInstance, env: PanelEnvironment, options: PanelOptions): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(safety);
    requireNamed(request);
  });
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => {
    try {
      return body.length === 0 ? undefined : readStorableJson(body);
    } catch (error) {
      throw error instanceof UnreadableJson ? new ApiError([errors.badRequest(error.message)]) : error;
    }
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const wait = unavailability(error);
    if (wait !== null) {
      reply.header('retry-after', String(wait.retryAfter));
      return sendErrors(reply, [errors.unavailable(wait.outcome)], version);
    }
    if (error instanceof ApiError) return sendErrors(reply.headers(error.headers), error.errors, version);
    const status = error.statusCode ?? 500;
    if (status < 500) return sendErrors(reply, [errors.refused(status, 'Bad Request', error.message)], version);
    request.log.error({ err: error }, 'request failed');
    return sendErrors(reply, [errors.internal()], version);
  });
  registerSignIn(app, env, options);
  registerActing(app, env, options);
  registerConfirmation(app, env, options);
  registerOwnLogin(app, env, options);
  registerLoginEmail(app, env, options);
  registerLoginLinks(app, env, options);
  registerEvents(app, env, options);
  registerEventReceiver(app, env);
}
