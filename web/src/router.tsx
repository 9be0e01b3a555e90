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
    path: '/statements',
    component: lazyRouteComponent(() => import('./pages/statements.tsx'), 'Statements'),
  }),
  createRoute({
    ...parent,
    path: '/invoices',
    component: lazyRouteComponent(() => import('./pages/invoices.tsx'), 'Invoices'),
  }),
  createRoute({
    ...parent,
    path: '/notifications',
    component: lazyRouteComponent(() => import('./pages/notifications.tsx'), 'Notifications'),
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
    path: '/registrations',
    component: lazyRouteComponent(() => import('./pages/registrations.tsx'), 'Registrations'),
  }),
  createRoute({
    ...parent,
    path: '/registrations/new',
    component: lazyRouteComponent(() => import('./pages/registration-wizard.tsx'), 'RegistrationWizard'),
  }),
  createRoute({
    ...parent,
    path: '/registrations/$id',
    component: lazyRouteComponent(() => import('./pages/registrations.tsx'), 'RegistrationPage'),
  }),
  createRoute({
    ...parent,
    path: '/identities',
    component: lazyRouteComponent(() => import('./pages/identities.tsx'), 'Identities'),
  }),
  createRoute({
    ...parent,
    path: '/identities/new',
    component: lazyRouteComponent(() => import('./pages/identities.tsx'), 'NewIdentity'),
  }),
  createRoute({
    ...parent,
    path: '/identities/$id',
    component: lazyRouteComponent(() => import('./pages/identities.tsx'), 'IdentityPage'),
  }),
  createRoute({
    ...parent,
    path: '/emergency',
    component: lazyRouteComponent(() => import('./pages/emergency.tsx'), 'Emergency'),
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
  createRoute({
    ...parent,
    path: '/trunk-groups',
    component: lazyRouteComponent(() => import('./pages/trunk-groups.tsx'), 'TrunkGroups'),
  }),
  createRoute({
    ...parent,
    path: '/trunk-groups/new',
    component: lazyRouteComponent(() => import('./pages/trunk-groups.tsx'), 'NewTrunkGroup'),
  }),
  createRoute({
    ...parent,
    path: '/trunk-groups/$id',
    component: lazyRouteComponent(() => import('./pages/trunk-groups.tsx'), 'TrunkGroupPage'),
  }),
  createRoute({
    ...parent,
    path: '/outbound-trunks',
    component: lazyRouteComponent(() => import('./pages/outbound-trunks.tsx'), 'OutboundTrunks'),
  }),
  createRoute({
    ...parent,
    path: '/outbound-trunks/new',
    component: lazyRouteComponent(() => import('./pages/outbound-trunks.tsx'), 'NewOutboundTrunk'),
  }),
  createRoute({
    ...parent,
    path: '/outbound-trunks/$id',
    component: lazyRouteComponent(() => import('./pages/outbound-trunks.tsx'), 'OutboundTrunkPage'),
  }),
  createRoute({
    ...parent,
    path: '/capacity',
    component: lazyRouteComponent(() => import('./pages/capacity.tsx'), 'Capacity'),
  }),
  createRoute({ ...parent, path: '/calls', component: lazyRouteComponent(() => import('./pages/calls.tsx'), 'Calls') }),
  createRoute({
    ...parent,
    path: '/calls/$id',
    component: lazyRouteComponent(() => import('./pages/call.tsx'), 'CallPage'),
  }),
  createRoute({
    ...parent,
    path: '/calls/out/$id',
    component: lazyRouteComponent(() => import('./pages/outbound-call.tsx'), 'OutboundCallPage'),
  }),
  createRoute({
    ...parent,
    path: '/exports',
    component: lazyRouteComponent(() => import('./pages/exports.tsx'), 'Exports'),
  }),
  createRoute({
    ...parent,
    path: '/events',
    component: lazyRouteComponent(() => import('./pages/events.tsx'), 'Events'),
  }),
  createRoute({
    ...parent,
    path: '/callbacks',
    component: lazyRouteComponent(() => import('./pages/callbacks.tsx'), 'Callbacks'),
  }),
  createRoute({
    ...parent,
    path: '/callbacks/$id',
    component: lazyRouteComponent(() => import('./pages/callback.tsx'), 'CallbackPage'),
  }),
  createRoute({
    ...parent,
    path: '/signatures',
    component: lazyRouteComponent(() => import('./pages/signatures.tsx'), 'Signatures'),
  }),
  createRoute({ ...parent, path: '/keys', component: lazyRouteComponent(() => import('./pages/keys.tsx'), 'Keys') }),
  createRoute({ ...parent, path: '/usage', component: lazyRouteComponent(() => import('./pages/usage.tsx'), 'Usage') }),
  createRoute({
    ...parent,
    path: '/versions',
    component: lazyRouteComponent(() => import('./pages/versions.tsx'), 'Versions'),
  }),
  createRoute({
    ...parent,
    path: '/applications',
    component: lazyRouteComponent(() => import('./pages/applications.tsx'), 'Applications'),
  }),
  createRoute({
    ...parent,
    path: '/verifications',
    component: lazyRouteComponent(() => import('./pages/verifications.tsx'), 'Verifications'),
  }),
  createRoute({
    ...parent,
    path: '/verifications/$id',
    component: lazyRouteComponent(() => import('./pages/verifications.tsx'), 'VerificationPage'),
  }),
  createRoute({
    ...parent,
    path: '/sessions',
    component: lazyRouteComponent(() => import('./pages/sessions.tsx'), 'Sessions'),
  }),
  createRoute({
    ...parent,
    path: '/start',
    component: lazyRouteComponent(() => import('./pages/first-minute.tsx'), 'FirstMinute'),
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
  createRoute({
    ...parent,
    path: '/scenarios',
    component: lazyRouteComponent(() => import('./pages/scenarios.tsx'), 'Scenarios'),
  }),
  createRoute({ ...parent, path: '/team', component: lazyRouteComponent(() => import('./pages/team.tsx'), 'Team') }),
  createRoute({
    ...parent,
    path: '/login',
    component: lazyRouteComponent(() => import('./pages/login.tsx'), 'LoginPage'),
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
