/** The panel's addresses and their pages. `src/panel/web-files.ts` lists the first words of them for the server. */
import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { basePath } from './api/base.ts';
import { operatorRoutes } from './operator/routes.ts';
import { Dashboard } from './pages/dashboard.tsx';
import { parent, root } from './root-route.tsx';

const routes = [
  createRoute({ ...parent, path: '/', component: Dashboard }),
  createRoute({
    ...parent,
    path: '/numbers',
    component: lazyRouteComponent(() => import('./pages/numbers.tsx'), 'Numbers'),
  }),
  createRoute({
    ...parent,
    path: '/numbers/$id',
    component: lazyRouteComponent(() => import('./pages/number.tsx'), 'NumberPage'),
  }),
  createRoute({ ...parent, path: '/buy', component: lazyRouteComponent(() => import('./pages/buy.tsx'), 'Buy') }),
  createRoute({
    ...parent,
    path: '/buy/$id',
    component: lazyRouteComponent(() => import('./pages/group.tsx'), 'GroupPage'),
  }),
  createRoute({
    ...parent,
    path: '/cart',
    component: lazyRouteComponent(() => import('./pages/cart.tsx'), 'CartPage'),
  }),
  createRoute({
    ...parent,
    path: '/orders',
    component: lazyRouteComponent(() => import('./pages/orders.tsx'), 'Orders'),
  }),
  createRoute({
    ...parent,
    path: '/orders/$id',
    component: lazyRouteComponent(() => import('./pages/orders.tsx'), 'OrderPage'),
  }),
  createRoute({
    ...parent,
    path: '/trunks',
    component: lazyRouteComponent(() => import('./pages/trunks.tsx'), 'Trunks'),
  }),
  createRoute({
    ...parent,
    path: '/trunks/new',
    component: lazyRouteComponent(() => import('./pages/trunk.tsx'), 'NewTrunk'),
  }),
  createRoute({
    ...parent,
    path: '/trunks/$id',
    component: lazyRouteComponent(() => import('./pages/trunk.tsx'), 'TrunkPage'),
  }),
  createRoute({ ...parent, path: '/calls', component: lazyRouteComponent(() => import('./pages/calls.tsx'), 'Calls') }),
  createRoute({ ...parent, path: '/keys', component: lazyRouteComponent(() => import('./pages/keys.tsx'), 'Keys') }),
  createRoute({
    ...parent,
    path: '/applications',
    component: lazyRouteComponent(() => import('./pages/applications.tsx'), 'Applications'),
  }),
  createRoute({
    ...parent,
    path: '/sessions',
    component: lazyRouteComponent(() => import('./pages/sessions.tsx'), 'Sessions'),
  }),
  createRoute({ ...parent, path: '/inbox', component: lazyRouteComponent(() => import('./pages/inbox.tsx'), 'Inbox') }),
  createRoute({
    ...parent,
    path: '/simulator',
    component: lazyRouteComponent(() => import('./pages/simulator.tsx'), 'Simulator'),
  }),
  createRoute({
    ...parent,
    path: '/clock',
    component: lazyRouteComponent(() => import('./pages/clock.tsx'), 'ClockPage'),
  }),
  ...operatorRoutes,
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: 'intent',
  basepath: basePath === '' ? '/' : basePath,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
