/** The panel's routes: those of the pages that `src/interfaces/panel/pages` lists. */
import { createRouter } from '@tanstack/react-router';
import { customerSections } from '../../src/interfaces/panel/pages/customers.ts';
import { operatorSections } from '../../src/interfaces/panel/pages/operators.ts';
import { basePath } from './api/base.ts';
import { operatorFiles } from './operator/page-files.ts';
import { routesOf } from './page-routes.ts';
import { Home } from './pages/home.tsx';
import { customerFiles } from './pages/page-files.ts';
import { PageError } from './parts/lazy-page.tsx';
import { root } from './root-route.tsx';

const routes = {
  ...routesOf(customerSections, customerFiles, { Home }),
  ...routesOf(operatorSections, operatorFiles),
};

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
