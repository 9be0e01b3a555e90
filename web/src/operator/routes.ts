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
] as const;
