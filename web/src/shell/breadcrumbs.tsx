/** Where the page lies: its section, and the list that a record or a form belongs to. */
import { useLocation } from '@tanstack/react-router';
import type { PageSection } from '../../../src/interfaces/panel/pages/page-section.ts';
import { RouteLink } from '../parts/links.tsx';
import { placeOf } from './place.ts';

export function Breadcrumbs({ sections }: { sections: readonly PageSection[] }) {
  const { pathname } = useLocation();
  const place = placeOf(sections, pathname);
  if (place === undefined || place.section === sections[0]) return null;
  const { section, page } = place;
  return (
    <nav aria-label="Breadcrumbs" className="breadcrumbs">
      <ol>
        <li>{section.title}</li>
        {page.path !== pathname && (
          <li>
            <RouteLink to={page.path}>{page.label}</RouteLink>
          </li>
        )}
      </ol>
    </nav>
  );
}
