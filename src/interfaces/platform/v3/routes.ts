/** The number platform: everything under `/v3`. */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RequestSlot } from '../../../base/request-slot.ts';
import { markRecordsOf } from '../../../business/accounts/acting.ts';
import { createRequestAuthenticator } from '../../../business/accounts/authenticate.ts';
import type { Caller } from '../../../business/accounts/caller.ts';
import { versionFixer } from '../../../business/accounts/fix-version.ts';
import { createKeyUsage } from '../../../business/accounts/key-usage.ts';
import { createRateLimiter } from '../../../business/accounts/rate-limit.ts';
import { originOf } from '../../../business/accounts/same-origin.ts';
import { ChainWatch, chainHeader } from '../../../business/suppliers/chain.ts';
import { catalogueVersion } from '../../../engines/db/catalogue-version.ts';
import { unavailability } from '../../../engines/db/outcome.ts';
import { chargeWorkTo, noteWorkCaller } from '../../../engines/db/work.ts';
import { ApiError, errors } from '../../../engines/jsonapi/errors.ts';
import { ReferenceRows } from '../../../engines/jsonapi/reference-rows.ts';
import type { CreateOnce } from '../../../engines/jsonapi/resource.ts';
import { routeOf } from '../../../engines/jsonapi/route-table.ts';
import { registerResources } from '../../../engines/jsonapi/routes.ts';
import {
  baseUrlOf,
  createQueryRunner,
  createTextRunner,
  createTransactionRunner,
  type PlatformContext,
  type PlatformEnvironment,
} from '../context.ts';
import { downloadRoutes } from '../exports/download-export.ts';
import { registerForms } from '../identities/blank-forms.ts';
import { uploadRoutes } from '../identities/upload-file.ts';
import { refuseCaller, tooManyRequests } from '../refusals.ts';
import { createOnce } from '../repeated-creates.ts';
import { holdBeforeCreate } from '../reservations/hold-before-create.ts';
import { chooseVersion, ignoredVersions, newestVersion } from '../versions/versions.ts';
import { accessOf, subjectOf } from './access.ts';
import { commonHeaders } from './headers.ts';
import { older, registry } from './registries.ts';

const bodyLimit = 1_048_576;

/** For who would buy from us what we buy from them. */
const circle = 'The chain of suppliers comes back to this platform, which cannot supply itself, nor over others.';

/** Records on a page; an account's own limit may raise the maximum. */
export const pageSizes = { default: 50, max: 100 };

export async function platformRoom(app: FastifyInstance, env: PlatformEnvironment): Promise<void> {
  const authenticate = createRequestAuthenticator(env);
  const rateLimit = createRateLimiter((heard) => env.changes.counts.join('requests of keys', heard));
  const query = createQueryRunner(env.pool);
  const text = createTextRunner(env.pool);
  const transaction = createTransactionRunner(env.db);
  const referenceVersion = catalogueVersion(env.pool);
  const referenceRows = new ReferenceRows(referenceVersion);
  const noteRequest = createKeyUsage(env);
  const fixVersion = versionFixer(env, newestVersion);
  const chains = new ChainWatch(env);
  const keyIds = new RequestSlot<string>('key');
  const problems = new RequestSlot<string>('problem');
  registerForms(app, env);
  await app.register(
    async (scope) => {
      scope.addHook('onError', async (request, _reply, error) => {
        problems.set(request, error instanceof ApiError ? (error.errors[0]?.title ?? '') : 'Internal Server Error');
      });
      scope.addHook('onResponse', (request, { statusCode: status }, done) => {
        done();
        const keyId = keyIds.get(request);
        if (keyId === undefined) return;
        const path = routeOf(request) ?? '(no such path)';
        noteRequest({ keyId, method: request.method, path, status, error: problems.get(request) ?? '' });
      });
      registerResources<PlatformContext>(scope, {
        registry,
        newestVersion,
        commonHeaders: (request) => {
          const { origin, 'access-control-request-headers': requestedHeaders } = request.headers;
          const own = origin === undefined ? null : originOf(env, request);
          const ignored = ignoredVersions(request.headers);
          return commonHeaders({ origin, requestedHeaders, own, ignoredVersions: ignored });
        },
        bodyLimit,
        older,
        referenceVersion,
        extraRoutes: [uploadRoutes, downloadRoutes],
        unavailable: unavailability,
        admit: ({ caller }) => {
          const wait = caller ? rateLimit(caller) : 0;
          if (wait > 0) throw tooManyRequests(wait);
        },
        contextOf: (request: FastifyRequest, route): PlatformContext | Promise<PlatformContext> => {
          const open = route?.open === true;
          const known = authenticate.known(request);
          if (known !== undefined && request.headers[chainHeader] === undefined) {
            return contextFor(request, open, known);
          }
          return authenticate(request, subjectOf(route))
            .catch(refuseCaller)
            .then((caller) => contextFor(request, open, caller))
            .then((context) => heedChain(request, context));
        },
      });
    },
    { prefix: '/v3' },
  );

  async function heedChain(request: FastifyRequest, context: PlatformContext): Promise<PlatformContext> {
    const chain = request.headers[chainHeader];
    if (context.caller === null || typeof chain !== 'string') return context;
    if (await chains.admits(context.caller.accountId, chain)) return context;
    throw new ApiError([errors.forbidden(circle)]);
  }

  function contextFor(request: FastifyRequest, open: boolean, caller: Caller | null): PlatformContext {
    if (caller) noteWorkCaller(caller);
    if (!caller && !open) throw new ApiError([errors.unauthorized()]);
    if (caller?.suspensionReason != null) throw new ApiError([errors.forbidden(caller.suspensionReason)]);
    if (caller?.actor.kind === 'api_key') keyIds.set(request, caller.actor.id);
    if (caller) chargeWorkTo(caller.accountId);
    if (caller?.apiVersion === null && caller.actor.kind === 'api_key') fixVersion(caller.accountId);
    const apiVersion = chooseVersion(request.headers, caller?.apiVersion ?? newestVersion);
    const context: PlatformContext = {
      env,
      db: env.db,
      caller,
      query,
      text,
      referenceRows,
      transaction,
      tenant: caller && { accountId: caller.accountId },
      now: env.clock.now(),
      baseUrl: `${baseUrlOf(env, request)}/v3`,
      apiVersion,
      defaultPageSize: pageSizes.default,
      maxPageSize: caller?.maxPageSize ?? pageSizes.max,
      ...(caller ? { features: caller.features } : {}),
      ...accessOf(caller, apiVersion),
      ...markRecordsOf(env.db, env.clock, caller, request.ip),
    };
    const key = request.headers['idempotency-key'];
    const isKeyed = caller !== null && typeof key === 'string' && key !== '' && request.method === 'POST';
    if (!isKeyed) return context;
    const inTransaction = createOnce(context, key, request.ip);
    const once: CreateOnce = async (created, create) => {
      await holdBeforeCreate(context, key, created);
      return inTransaction(created, create);
    };
    return { ...context, idempotencyKey: key, once };
  }
}
