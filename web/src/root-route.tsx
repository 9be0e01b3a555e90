/** The route that all pages are below: the shell around them, and what is shown at an unknown address. */
import { createRootRoute } from '@tanstack/react-router';
import { RouteLink } from './parts/links.tsx';
import { readSearch } from './parts/list-search.ts';
import { Empty, Page } from './parts/page.tsx';
import { Shell } from './shell/shell.tsx';

export const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <Page title="Nothing here">
      <Empty title="There is no page at this address" action={<RouteLink to="/">Home</RouteLink>} />
    </Page>
  ),
});

export const parent = { getParentRoute: () => root, validateSearch: readSearch };
