/** The addresses of the operator's pages. `src/interfaces/panel/web-files.ts` lists them for the server. */
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../parts/lazy-page.tsx';
import { parent } from '../root-route.tsx';

export const operatorRoutes = [
  createRoute({
    ...parent,
    path: '/operator',
    component: lazyPage(() => import('./overview.tsx'), 'Overview'),
  }),
  createRoute({
    ...parent,
    path: '/operator/accounts',
    component: lazyPage(() => import('./accounts.tsx'), 'Accounts'),
  }),
  createRoute({
    ...parent,
    path: '/operator/accounts/$id',
    component: lazyPage(() => import('./account.tsx'), 'AccountPage'),
  }),
  createRoute({
    ...parent,
    path: '/operator/numbers',
    component: lazyPage(() => import('./numbers.tsx'), 'Numbers'),
  }),
  createRoute({
    ...parent,
    path: '/operator/routing',
    component: lazyPage(() => import('./routing.tsx'), 'Routing'),
  }),
  createRoute({
    ...parent,
    path: '/operator/orders',
    component: lazyPage(() => import('./money.tsx'), 'Orders'),
  }),
  createRoute({
    ...parent,
    path: '/operator/ledger',
    component: lazyPage(() => import('./money.tsx'), 'Ledger'),
  }),
  createRoute({
    ...parent,
    path: '/operator/adjustments',
    component: lazyPage(() => import('./money.tsx'), 'Adjustments'),
  }),
  createRoute({
    ...parent,
    path: '/operator/audit',
    component: lazyPage(() => import('./audit.tsx'), 'Audit'),
  }),
  createRoute({
    ...parent,
    path: '/operator/operators',
    component: lazyPage(() => import('./operators.tsx'), 'Operators'),
  }),
  createRoute({
    ...parent,
    path: '/operator/jobs',
    component: lazyPage(() => import('./queue.tsx'), 'Jobs'),
  }),
  createRoute({
    ...parent,
    path: '/operator/callbacks',
    component: lazyPage(() => import('./queue.tsx'), 'Deliveries'),
  }),
  createRoute({
    ...parent,
    path: '/operator/review',
    component: lazyPage(() => import('./review.tsx'), 'ReviewQueue'),
  }),
  createRoute({
    ...parent,
    path: '/operator/review/$id',
    component: lazyPage(() => import('./submission.tsx'), 'SubmissionPage'),
  }),
  createRoute({
    ...parent,
    path: '/operator/numbers/$id',
    component: lazyPage(() => import('./number.tsx'), 'NumberPage'),
  }),
  createRoute({
    ...parent,
    path: '/operator/orders/$id',
    component: lazyPage(() => import('./order.tsx'), 'OrderPage'),
  }),
  createRoute({
    ...parent,
    path: '/operator/accounts/$id/statement',
    component: lazyPage(() => import('./statement.tsx'), 'StatementPage'),
  }),
  createRoute({
    ...parent,
    path: '/operator/stock',
    component: lazyPage(() => import('./stock.tsx'), 'StockReport'),
  }),
  createRoute({
    ...parent,
    path: '/operator/back-orders',
    component: lazyPage(() => import('./stock.tsx'), 'BackOrders'),
  }),
  createRoute({
    ...parent,
    path: '/operator/proofs',
    component: lazyPage(() => import('./books.tsx'), 'Proofs'),
  }),
  createRoute({
    ...parent,
    path: '/operator/invoices',
    component: lazyPage(() => import('./books.tsx'), 'Invoices'),
  }),
  createRoute({
    ...parent,
    path: '/operator/refunds',
    component: lazyPage(() => import('./books.tsx'), 'Refunds'),
  }),
  createRoute({
    ...parent,
    path: '/operator/calls',
    component: lazyPage(() => import('./calls.tsx'), 'Calls'),
  }),
  createRoute({
    ...parent,
    path: '/operator/refusals',
    component: lazyPage(() => import('./refusals.tsx'), 'Refusals'),
  }),
  createRoute({
    ...parent,
    path: '/operator/carriers',
    component: lazyPage(() => import('./carriers.tsx'), 'Carriers'),
  }),
  createRoute({
    ...parent,
    path: '/operator/providers',
    component: lazyPage(() => import('./providers.tsx'), 'Providers'),
  }),
  createRoute({
    ...parent,
    path: '/operator/verifications',
    component: lazyPage(() => import('./verifications.tsx'), 'Verifications'),
  }),
  createRoute({
    ...parent,
    path: '/operator/requests',
    component: lazyPage(() => import('./requests.tsx'), 'Requests'),
  }),
  createRoute({
    ...parent,
    path: '/operator/erasures',
    component: lazyPage(() => import('./erasures.tsx'), 'Erasures'),
  }),
  createRoute({
    ...parent,
    path: '/operator/imports',
    component: lazyPage(() => import('./imports.tsx'), 'Imports'),
  }),
  createRoute({
    ...parent,
    path: '/operator/imports/$id',
    component: lazyPage(() => import('./imports.tsx'), 'ImportPage'),
  }),
  createRoute({
    ...parent,
    path: '/operator/prices',
    component: lazyPage(() => import('./price-lists.tsx'), 'PriceLists'),
  }),
  createRoute({
    ...parent,
    path: '/operator/prices/$id',
    component: lazyPage(() => import('./price-list.tsx'), 'PriceListPage'),
  }),
  createRoute({
    ...parent,
    path: '/operator/verification-rates',
    component: lazyPage(() => import('./verification-rates.tsx'), 'VerificationRates'),
  }),
  createRoute({
    ...parent,
    path: '/operator/health',
    component: lazyPage(() => import('./health.tsx'), 'Health'),
  }),
  createRoute({
    ...parent,
    path: '/operator/carriers/new',
    component: lazyPage(() => import('./carriers.tsx'), 'NewCarrier'),
  }),
  createRoute({
    ...parent,
    path: '/operator/carriers/$id',
    component: lazyPage(() => import('./carrier.tsx'), 'CarrierPage'),
  }),
  createRoute({
    ...parent,
    path: '/operator/providers/new',
    component: lazyPage(() => import('./providers.tsx'), 'NewProvider'),
  }),
  createRoute({
    ...parent,
    path: '/operator/providers/$id',
    component: lazyPage(() => import('./provider.tsx'), 'ProviderPage'),
  }),
  createRoute({
    ...parent,
    path: '/operator/routes',
    component: lazyPage(() => import('./peer-routes.tsx'), 'Routes'),
  }),
  createRoute({
    ...parent,
    path: '/operator/risks',
    component: lazyPage(() => import('./risks.tsx'), 'Risks'),
  }),
  createRoute({
    ...parent,
    path: '/operator/caller-names',
    component: lazyPage(() => import('./caller-names.tsx'), 'CallerNames'),
  }),
  createRoute({
    ...parent,
    path: '/operator/conversion',
    component: lazyPage(() => import('./conversion.tsx'), 'Conversion'),
  }),
  createRoute({
    ...parent,
    path: '/operator/prefixes',
    component: lazyPage(() => import('./prefixes.tsx'), 'Prefixes'),
  }),
  createRoute({
    ...parent,
    path: '/operator/guards',
    component: lazyPage(() => import('./guards.tsx'), 'Guards'),
  }),
  createRoute({
    ...parent,
    path: '/operator/margins',
    component: lazyPage(() => import('./margins.tsx'), 'Margins'),
  }),
  createRoute({
    ...parent,
    path: '/operator/keys',
    component: lazyPage(() => import('./operator-keys.tsx'), 'OperatorKeys'),
  }),
] as const;
