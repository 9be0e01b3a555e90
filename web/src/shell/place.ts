/** Where an address lies in the menu. */
import type { PageEntry, PageSection } from '../../../src/interfaces/panel/pages/page-section.ts';

/** The section and page that an address belongs to: the page itself, or the one that it stands below. */
export function placeOf(
  sections: readonly PageSection[],
  pathname: string,
): { section: PageSection; page: PageEntry } | undefined {
  const found = sections.flatMap((section) =>
    section.pages.filter(({ path }) => isAt(path, pathname)).map((page) => ({ section, page })),
  );
  // `/operator` begins the addresses of all of an operator's pages.
  return found.toSorted((one, other) => other.page.path.length - one.page.path.length)[0];
}

const isAt = (path: string, pathname: string): boolean =>
  pathname === path || (path !== '/' && pathname.startsWith(`${path}/`));
