/** What of a list lives in the URL: search, filters, sort, page and columns; so a list can be sent as a link. */
import { useNavigate, useSearch } from '@tanstack/react-router';

export type ListSearch = Readonly<Record<string, string | number | undefined>>;

/** Takes words and numbers from the URL and leaves everything else out. */
export function readSearch(given: Record<string, unknown>): ListSearch {
  return Object.fromEntries(
    Object.entries(given).filter(
      (entry): entry is [string, string | number] => typeof entry[1] === 'string' || typeof entry[1] === 'number',
    ),
  );
}

/** The search of this page, and a function that changes some of it; undefined takes a parameter out. */
export function useListSearch(): [ListSearch, (changes: ListSearch) => void] {
  const search = readSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  return [
    search,
    (changes) => {
      const next = Object.entries({ ...search, ...changes }).filter(([, value]) => value !== undefined && value !== '');
      navigate({ to: '.', search: Object.fromEntries(next), replace: true });
    },
  ];
}
