/**
 * The panel's addresses and their pages. `src/interfaces/panel/web-files.ts` lists the first words of them for the
 * server.
 */
import { createRoute, createRouter } from '@tanstack/react-router';
import { basePath } from './api/base.ts';
import { operatorRoutes } from './operator/routes.ts';
import { Dashboard } from './pages/dashboard.tsx';
import { lazyPage, PageError } from './parts/lazy-page.tsx';
import { parent, root } from './root-route.tsx';

const routes = [
  createRoute({ ...parent, path: '/', component: Dashboard }),
  createRoute({
    ...parent,
    path: '/numbers',
    component: lazyPage(() => import('./pages/numbers.tsx'), 'Numbers'),
  }),
  createRoute({
    ...parent,
    path: '/numbers/$id',
    component: lazyPage(() => import('./pages/number.tsx'), 'NumberPage'),
  }),
  createRoute({ ...parent, path: '/buy', component: lazyPage(() => import('./pages/buy.tsx'), 'Buy') }),
  createRoute({
    ...parent,
    path: '/buy/$id',
    component: lazyPage(() => import('./pages/group.tsx'), 'GroupPage'),
  }),
  createRoute({
    ...parent,
    path: '/cart',
    component: lazyPage(() => import('./pages/cart.tsx'), 'CartPage'),
  }),
  createRoute({
    ...parent,
    path: '/statements',
    component: lazyPage(() => import('./pages/statements.tsx'), 'Statements'),
  }),
  createRoute({
    ...parent,
    path: '/invoices',
    component: lazyPage(() => import('./pages/invoices.tsx'), 'Invoices'),
  }),
  createRoute({
    ...parent,
    path: '/notifications',
    component: lazyPage(() => import('./pages/notifications.tsx'), 'Notifications'),
  }),
  createRoute({
    ...parent,
    path: '/orders',
    component: lazyPage(() => import('./pages/orders.tsx'), 'Orders'),
  }),
  createRoute({
    ...parent,
    path: '/orders/$id',
    component: lazyPage(() => import('./pages/orders.tsx'), 'OrderPage'),
  }),
  createRoute({
    ...parent,
    path: '/registrations',
    component: lazyPage(() => import('./pages/registrations.tsx'), 'Registrations'),
  }),
  createRoute({
    ...parent,
    path: '/registrations/new',
    component: lazyPage(() => import('./pages/registration-wizard.tsx'), 'RegistrationWizard'),
  }),
  createRoute({
    ...parent,
    path: '/registrations/$id',
    component: lazyPage(() => import('./pages/registrations.tsx'), 'RegistrationPage'),
  }),
  createRoute({
    ...parent,
    path: '/identities',
    component: lazyPage(() => import('./pages/identities.tsx'), 'Identities'),
  }),
  createRoute({
    ...parent,
    path: '/identities/new',
    component: lazyPage(() => import('./pages/identities.tsx'), 'NewIdentity'),
  }),
  createRoute({
    ...parent,
    path: '/identities/$id',
    component: lazyPage(() => import('./pages/identities.tsx'), 'IdentityPage'),
  }),
  createRoute({
    ...parent,
    path: '/emergency',
    component: lazyPage(() => import('./pages/emergency.tsx'), 'Emergency'),
  }),
  createRoute({
    ...parent,
    path: '/trunks',
    component: lazyPage(() => import('./pages/trunks.tsx'), 'Trunks'),
  }),
  createRoute({
    ...parent,
    path: '/trunks/new',
    component: lazyPage(() => import('./pages/trunk.tsx'), 'NewTrunk'),
  }),
  createRoute({
    ...parent,
    path: '/trunks/$id',
    component: lazyPage(() => import('./pages/trunk.tsx'), 'TrunkPage'),
  }),
  createRoute({
    ...parent,
    path: '/trunk-groups',
    component: lazyPage(() => import('./pages/trunk-groups.tsx'), 'TrunkGroups'),
  }),
  createRoute({
    ...parent,
    path: '/trunk-groups/new',
    component: lazyPage(() => import('./pages/trunk-groups.tsx'), 'NewTrunkGroup'),
  }),
  createRoute({
    ...parent,
    path: '/trunk-groups/$id',
    component: lazyPage(() => import('./pages/trunk-groups.tsx'), 'TrunkGroupPage'),
  }),
  createRoute({
    ...parent,
    path: '/outbound-trunks',
    component: lazyPage(() => import('./pages/outbound-trunks.tsx'), 'OutboundTrunks'),
  }),
  createRoute({
    ...parent,
    path: '/outbound-trunks/new',
    component: lazyPage(() => import('./pages/outbound-trunks.tsx'), 'NewOutboundTrunk'),
  }),
  createRoute({
    ...parent,
    path: '/outbound-trunks/$id',
    component: lazyPage(() => import('./pages/outbound-trunks.tsx'), 'OutboundTrunkPage'),
  }),
  createRoute({
    ...parent,
    path: '/capacity',
    component: lazyPage(() => import('./pages/capacity.tsx'), 'Capacity'),
  }),
  createRoute({ ...parent, path: '/calls', component: lazyPage(() => import('./pages/calls.tsx'), 'Calls') }),
  createRoute({
    ...parent,
    path: '/calls/$id',
    component: lazyPage(() => import('./pages/call.tsx'), 'CallPage'),
  }),
  createRoute({
    ...parent,
    path: '/calls/out/$id',
    component: lazyPage(() => import('./pages/outbound-call.tsx'), 'OutboundCallPage'),
  }),
  createRoute({
    ...parent,
    path: '/exports',
    component: lazyPage(() => import('./pages/exports.tsx'), 'Exports'),
  }),
  createRoute({
    ...parent,
    path: '/events',
    component: lazyPage(() => import('./pages/events.tsx'), 'Events'),
  }),
  createRoute({
    ...parent,
    path: '/callbacks',
    component: lazyPage(() => import('./pages/callbacks.tsx'), 'Callbacks'),
  }),
  createRoute({
    ...parent,
    path: '/callbacks/$id',
    component: lazyPage(() => import('./pages/callback.tsx'), 'CallbackPage'),
  }),
  createRoute({
    ...parent,
    path: '/signatures',
    component: lazyPage(() => import('./pages/signatures.tsx'), 'Signatures'),
  }),
  createRoute({ ...parent, path: '/keys', component: lazyPage(() => import('./pages/keys.tsx'), 'Keys') }),
  createRoute({ ...parent, path: '/usage', component: lazyPage(() => import('./pages/usage.tsx'), 'Usage') }),
  createRoute({
    ...parent,
    path: '/versions',
    component: lazyPage(() => import('./pages/versions.tsx'), 'Versions'),
  }),
  createRoute({
    ...parent,
    path: '/applications',
    component: lazyPage(() => import('./pages/applications.tsx'), 'Applications'),
  }),
  createRoute({
    ...parent,
    path: '/verifications',
    component: lazyPage(() => import('./pages/verifications.tsx'), 'Verifications'),
  }),
  createRoute({
    ...parent,
    path: '/verifications/$id',
    component: lazyPage(() => import('./pages/verifications.tsx'), 'VerificationPage'),
  }),
  createRoute({
    ...parent,
    path: '/sessions',
    component: lazyPage(() => import('./pages/sessions.tsx'), 'Sessions'),
  }),
  createRoute({
    ...parent,
    path: '/start',
    component: lazyPage(() => import('./pages/first-minute.tsx'), 'FirstMinute'),
  }),
  createRoute({ ...parent, path: '/inbox', component: lazyPage(() => import('./pages/inbox.tsx'), 'Inbox') }),
  createRoute({
    ...parent,
    path: '/simulator',
    component: lazyPage(() => import('./pages/simulator.tsx'), 'Simulator'),
  }),
  createRoute({
    ...parent,
    path: '/clock',
    component: lazyPage(() => import('./pages/clock.tsx'), 'ClockPage'),
  }),
  createRoute({
    ...parent,
    path: '/scenarios',
    component: lazyPage(() => import('./pages/scenarios.tsx'), 'Scenarios'),
  }),
  createRoute({ ...parent, path: '/team', component: lazyPage(() => import('./pages/team.tsx'), 'Team') }),
  createRoute({
    ...parent,
    path: '/login',
    component: lazyPage(() => import('./pages/login.tsx'), 'LoginPage'),
  }),
  ...operatorRoutes,
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: 'intent',
  defaultErrorComponent: PageError,
  basepath: basePath === '' ? '/' : basePath,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
