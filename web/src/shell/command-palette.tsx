/** ⌘K: finds pages, and numbers of the account by their digits or description. */

import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Did, Many } from '../api/documents.ts';
import { pathWith, useRead } from '../api/queries.ts';
import { didSearch } from '../pages/did-search.ts';
import { showNumber } from '../parts/format.ts';
import type { PageEntry } from './navigation.ts';

export function CommandPalette({ pages }: { pages: readonly PageEntry[] }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [query] = useDebouncedValue(typed.trim(), 200);
  const found = useRead<Many<Did>>(
    query.length < 3 ? null : pathWith('/v3/dids', { ...didSearch(query), 'page[size]': 5 }),
  );
  const goTo: SpotlightActionData[] = pages.map(({ to, label, about }) => ({
    id: to,
    label,
    description: about,
    onClick: () => navigate({ to }),
  }));
  const numbers: SpotlightActionData[] =
    query.length < 3
      ? []
      : (found.data?.data ?? []).map(({ id, attributes }) => ({
          id,
          label: showNumber(attributes.number),
          description: attributes.description ?? 'A number of yours',
          keywords: query,
          onClick: () => navigate({ to: '/numbers/$id', params: { id } }),
        }));
  return (
    <Spotlight
      actions={[
        { group: 'Numbers', actions: numbers },
        { group: 'Pages', actions: goTo },
      ]}
      query={typed}
      onQueryChange={setTyped}
      shortcut={['mod + K']}
      nothingFound="Nothing found"
      searchProps={{ placeholder: 'Find a page or a number', 'aria-label': 'Find a page or a number' }}
      scrollable
      maxHeight={360}
    />
  );
}
