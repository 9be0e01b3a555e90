/** The addresses of the operator's pages. `src/panel/web-files.ts` lists them for the server. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { parent } from '../root-route.tsx';

export const operatorRoutes = [
  createRoute({
    ...parent,
    path: '/operator',
    component: lazyRouteComponent(() => import('./overview.tsx'), 'Overview'),
  }),
  createRoute({
    ...parent,
    path: '/operator/accounts',
    component: lazyRouteComponent(() => import('./accounts.tsx'), 'Accounts'),
  }),
  createRoute({
    ...parent,
    path: '/operator/accounts/$id',
    component: lazyRouteComponent(() => import('./account.tsx'), 'AccountPage'),
  }),
  createRoute({
    ...parent,
    path: '/operator/numbers',
    component: lazyRouteComponent(() => import('./numbers.tsx'), 'Numbers'),
  }),
  createRoute({
    ...parent,
    path: '/operator/routing',
    component: lazyRouteComponent(() => import('./routing.tsx'), 'Routing'),
  }),
  createRoute({
    ...parent,
    path: '/operator/orders',
    component: lazyRouteComponent(() => import('./money.tsx'), 'Orders'),
  }),
  createRoute({
    ...parent,
    path: '/operator/ledger',
    component: lazyRouteComponent(() => import('./money.tsx'), 'Ledger'),
  }),
  createRoute({
    ...parent,
    path: '/operator/adjustments',
    component: lazyRouteComponent(() => import('./money.tsx'), 'Adjustments'),
  }),
  createRoute({
    ...parent,
    path: '/operator/audit',
    component: lazyRouteComponent(() => import('./audit.tsx'), 'Audit'),
  }),
  createRoute({
    ...parent,
    path: '/operator/operators',
    component: lazyRouteComponent(() => import('./operators.tsx'), 'Operators'),
  }),
  createRoute({
    ...parent,
    path: '/operator/jobs',
    component: lazyRouteComponent(() => import('./queue.tsx'), 'Jobs'),
  }),
  createRoute({
    ...parent,
    path: '/operator/callbacks',
    component: lazyRouteComponent(() => import('./queue.tsx'), 'Deliveries'),
  }),
  createRoute({
    ...parent,
    path: '/operator/review',
    component: lazyRouteComponent(() => import('./review.tsx'), 'ReviewQueue'),
  }),
  createRoute({
    ...parent,
    path: '/operator/review/$id',
    component: lazyRouteComponent(() => import('./submission.tsx'), 'SubmissionPage'),
  }),
  createRoute({
    ...parent,
    path: '/operator/numbers/$id',
    component: lazyRouteComponent(() => import('./number.tsx'), 'NumberPage'),
  }),
  createRoute({
    ...parent,
    path: '/operator/orders/$id',
    component: lazyRouteComponent(() => import('./order.tsx'), 'OrderPage'),
  }),
  createRoute({
    ...parent,
    path: '/operator/accounts/$id/statement',
    component: lazyRouteComponent(() => import('./statement.tsx'), 'StatementPage'),
  }),
  createRoute({
    ...parent,
    path: '/operator/stock',
    component: lazyRouteComponent(() => import('./stock.tsx'), 'StockReport'),
  }),
  createRoute({
    ...parent,
    path: '/operator/back-orders',
    component: lazyRouteComponent(() => import('./stock.tsx'), 'BackOrders'),
  }),
  createRoute({
    ...parent,
    path: '/operator/proofs',
    component: lazyRouteComponent(() => import('./books.tsx'), 'Proofs'),
  }),
  createRoute({
    ...parent,
    path: '/operator/invoices',
    component: lazyRouteComponent(() => import('./books.tsx'), 'Invoices'),
  }),
  createRoute({
    ...parent,
    path: '/operator/refunds',
    component: lazyRouteComponent(() => import('./books.tsx'), 'Refunds'),
  }),
  createRoute({
    ...parent,
    path: '/operator/calls',
    component: lazyRouteComponent(() => import('./calls.tsx'), 'Calls'),
  }),
  createRoute({
    ...parent,
    path: '/operator/refusals',
    component: lazyRouteComponent(() => import('./refusals.tsx'), 'Refusals'),
  }),
  createRoute({
    ...parent,
    path: '/operator/carriers',
    component: lazyRouteComponent(() => import('./carriers.tsx'), 'Carriers'),
  }),
  createRoute({
    ...parent,
    path: '/operator/providers',
    component: lazyRouteComponent(() => import('./providers.tsx'), 'Providers'),
  }),
  createRoute({
    ...parent,
    path: '/operator/verifications',
    component: lazyRouteComponent(() => import('./verifications.tsx'), 'Verifications'),
  }),
  createRoute({
    ...parent,
    path: '/operator/requests',
    component: lazyRouteComponent(() => import('./requests.tsx'), 'Requests'),
  }),
  createRoute({
    ...parent,
    path: '/operator/erasures',
    component: lazyRouteComponent(() => import('./erasures.tsx'), 'Erasures'),
  }),
  createRoute({
    ...parent,
    path: '/operator/imports',
    component: lazyRouteComponent(() => import('./imports.tsx'), 'Imports'),
  }),
  createRoute({
    ...parent,
    path: '/operator/imports/$id',
    component: lazyRouteComponent(() => import('./imports.tsx'), 'ImportPage'),
  }),
  createRoute({
    ...parent,
    path: '/operator/prices',
    component: lazyRouteComponent(() => import('./price-lists.tsx'), 'PriceLists'),
  }),
  createRoute({
    ...parent,
    path: '/operator/prices/$id',
    component: lazyRouteComponent(() => import('./price-list.tsx'), 'PriceListPage'),
  }),
  createRoute({
    ...parent,
    path: '/operator/verification-rates',
    component: lazyRouteComponent(() => import('./verification-rates.tsx'), 'VerificationRates'),
  }),
  createRoute({
    ...parent,
    path: '/operator/health',
    component: lazyRouteComponent(() => import('./health.tsx'), 'Health'),
  }),
  createRoute({
    ...parent,
    path: '/operator/carriers/new',
    component: lazyRouteComponent(() => import('./carriers.tsx'), 'NewCarrier'),
  }),
  createRoute({
    ...parent,
    path: '/operator/carriers/$id',
    component: lazyRouteComponent(() => import('./carrier.tsx'), 'CarrierPage'),
  }),
  createRoute({
    ...parent,
    path: '/operator/providers/new',
    component: lazyRouteComponent(() => import('./providers.tsx'), 'NewProvider'),
  }),
  createRoute({
    ...parent,
    path: '/operator/providers/$id',
    component: lazyRouteComponent(() => import('./provider.tsx'), 'ProviderPage'),
  }),
  createRoute({
    ...parent,
    path: '/operator/routes',
    component: lazyRouteComponent(() => import('./peer-routes.tsx'), 'Routes'),
  }),
  createRoute({
    ...parent,
    path: '/operator/conversion',
    component: lazyRouteComponent(() => import('./conversion.tsx'), 'Conversion'),
  }),
  createRoute({
    ...parent,
    path: '/operator/prefixes',
    component: lazyRouteComponent(() => import('./prefixes.tsx'), 'Prefixes'),
  }),
  createRoute({
    ...parent,
    path: '/operator/guards',
    component: lazyRouteComponent(() => import('./guards.tsx'), 'Guards'),
  }),
  createRoute({
    ...parent,
    path: '/operator/margins',
    component: lazyRouteComponent(() => import('./margins.tsx'), 'Margins'),
  }),
  createRoute({
    ...parent,
    path: '/operator/keys',
    component: lazyRouteComponent(() => import('./operator-keys.tsx'), 'OperatorKeys'),
  }),
] as const;
