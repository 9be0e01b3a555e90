/** ⌘K: finds pages, and records of the account by a part of their number, name or reference. */

import { Loader } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { customerSections } from '../../../src/interfaces/panel/pages/customers.ts';
import type { PageEntry } from '../../../src/interfaces/panel/pages/page-section.ts';
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import type { AddressOf } from '../page-routes.ts';
import { showLabel } from '../parts/format.ts';
import { openFirst } from './open-first.ts';

/** Type → the title of its group, and its page. */
const kinds: Readonly<Record<string, { group: string; to: AddressOf<typeof customerSections> }>> = {
  dids: { group: 'Numbers', to: '/numbers/$id' },
  did_groups: { group: 'Numbers for sale', to: '/buy/$id' },
  orders: { group: 'Orders', to: '/orders/$id' },
  calls: { group: 'Calls', to: '/calls/$id' },
  outbound_calls: { group: 'Outbound calls', to: '/calls/out/$id' },
  voice_in_trunks: { group: 'Trunks', to: '/trunks/$id' },
  voice_in_trunk_groups: { group: 'Trunk groups', to: '/trunk-groups/$id' },
  voice_out_trunks: { group: 'Outbound trunks', to: '/outbound-trunks/$id' },
  identities: { group: 'Identities', to: '/identities/$id' },
  otp_applications: { group: 'OTP applications', to: '/applications' },
  shared_capacity_groups: { group: 'Capacity', to: '/capacity' },
};

export function CommandPalette({ pages }: { pages: readonly PageEntry[] }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [query] = useDebouncedValue(typed.trim(), 200);
  const isLongEnough = query.length >= 2;
  const found = useRead(isLongEnough ? pathWith('/panel/v1/search', { q: query }) : null);
  const isLooking = typed.trim().length >= 2 && (query !== typed.trim() || found.isFetching);
  const results = isLongEnough ? (found.data?.results ?? []) : [];
  const groups = Object.entries(kinds).map(([type, { group, to }]) => ({
    group,
    actions: results
      .filter((each) => each.type === type)
      .map(
        ({ id, label, about }): SpotlightActionData => ({
          id,
          label: showLabel(label),
          description: about,
          // What the server found stays, whatever part of the record it was found by.
          keywords: typed.trim(),
          onClick: () => navigate({ to, params: { id } }),
        }),
      ),
  }));
  const goTo: SpotlightActionData[] = pages.map(({ path, label, about }) => ({
    id: path,
    label,
    description: about,
    onClick: () => navigate({ to: path }),
  }));
  return (
    <Spotlight
      actions={[...groups, { group: 'Pages', actions: goTo }]}
      query={typed}
      onQueryChange={setTyped}
      shortcut={['mod + K']}
      nothingFound={isLooking ? 'Searching …' : 'Nothing found'}
      searchProps={{
        placeholder: 'Find a page, number, order or call',
        'aria-label': 'Find a page, number, order or call',
        onKeyDown: openFirst,
        rightSection: isLooking ? <Loader size={16} aria-label="Searching" /> : null,
      }}
      scrollable
      maxHeight={420}
    />
  );
}
