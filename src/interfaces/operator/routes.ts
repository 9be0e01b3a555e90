/** The operator's interface: everything under /operator/v1. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { unavailability } from '../../engines/db/outcome.ts';
import { noteWorkCaller } from '../../engines/db/work.ts';
import type { Environment } from '../../engines/environment.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { registerResources } from '../../engines/jsonapi/routes.ts';
import { baseUrlOf, createQueryRunner, createTransactionRunner } from '../platform/context.ts';
import { refuseCaller } from '../platform/refusals.ts';
import { auditExportRoute } from './audit-export.ts';
import { createOperatorAuthenticator } from './authenticate.ts';
import { type OperatorContext, requireRole } from './context.ts';
import { conversionRoute } from './conversion/report.ts';
import { personalDataRoute } from './erasures.ts';
import { createHistoryReader } from './history-reader.ts';
import { importContentRoute } from './inventory/catalogue-imports.ts';
import { statementRoutes } from './money/statement-routes.ts';
import { accountOverviewRoute } from './overview/account-overview.ts';
import { priceExportRoute } from './pricing/price-export.ts';
import { longestPriceFile } from './pricing/price-lists.ts';
import { registry } from './resources.ts';
import { submissionPaperRoutes } from './review/papers.ts';
import { outboundRoutingRoute, routingRoute } from './routing-routes.ts';
import { searchRoute } from './search.ts';

export const prefix = '/operator/v1';
export const operatorVersion = '1';
export const operatorPageSizes = { default: 50, max: 1_000 };

/** A price list, escaped as JSON. */
const bodyLimit = 2 * longestPriceFile;

/** The interface is internal: no page of another origin may use it, so there are no CORS headers. */
const safety = {
  vary: 'Accept',
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

export async function operatorRoom(app: FastifyInstance, env: Environment): Promise<void> {
  const authenticate = createOperatorAuthenticator(env);
  const query = createQueryRunner(env.pool);
  const history = createHistoryReader(env, query);
  const transaction = createTransactionRunner(env.db);
  await app.register(
    async (scope) => {
      scope.addHook('onSend', history.noteAge);
      return registerResources<OperatorContext>(scope, {
        registry,
        newestVersion: operatorVersion,
        commonHeaders: () => safety,
        bodyLimit,
        extraRoutes: [
          routingRoute,
          outboundRoutingRoute,
          searchRoute,
          auditExportRoute,
          statementRoutes,
          priceExportRoute,
          personalDataRoute,
          submissionPaperRoutes,
          importContentRoute,
          accountOverviewRoute,
          conversionRoute,
        ],
        unavailable: unavailability,
        contextOf: async (request: FastifyRequest, reached): Promise<OperatorContext> => {
          const operator = await authenticate(request).catch(refuseCaller);
          if (operator === null) throw new ApiError([errors.unauthorized()]);
          noteWorkCaller({ actor: operator, accountId: null });
          return {
            env,
            operator,
            address: request.ip,
            query: history.queryOf(request, reached),
            transaction,
            tenant: 'every account',
            now: env.clock.now(),
            baseUrl: `${baseUrlOf(env, request)}${prefix}`,
            apiVersion: operatorVersion,
            defaultPageSize: operatorPageSizes.default,
            maxPageSize: operatorPageSizes.max,
            requireAccess: (type, access) => requireRole(operator, type, access),
          };
        },
      });
    },
    { prefix },
  );
}
