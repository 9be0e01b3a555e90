/**
 * ⌘K of operators: pages, customers by name or e-mail address, carriers and providers by name, numbers and calls by
 * digits, orders by reference.
 */

import { Loader } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { PageEntry } from '../../../src/interfaces/panel/pages/page-section.ts';
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { showNumber, showTime } from '../parts/format.ts';
import { openFirst } from '../shell/open-first.ts';

export function OperatorPalette({ pages }: { pages: readonly PageEntry[] }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [query] = useDebouncedValue(typed.trim(), 200);
  const digits = query.replace(/\D/g, '');
  const accounts = useRead(
    query.length < 2 ? null : pathWith('/operator/v1/accounts', { 'filter[search]': query, 'page[size]': 5 }),
  );
  const numbers = useRead(
    digits.length < 3 ? null : pathWith('/operator/v1/numbers', { 'filter[number_contains]': digits, 'page[size]': 5 }),
  );
  const orders = useRead(
    /^[a-z]{3}-\d*$/i.test(query)
      ? pathWith('/operator/v1/orders', { 'filter[reference_contains]': query.toUpperCase(), 'page[size]': 5 })
      : null,
  );
  const calls = useRead(
    digits.length < 5 || digits !== query.replace(/[\s+]/g, '')
      ? null
      : pathWith('/operator/v1/cdrs_in', { 'filter[did_number]': `${digits}*`, sort: '-time_start', 'page[size]': 5 }),
  );
  const named = (type: 'carriers' | 'providers') =>
    query.length < 2 ? null : pathWith(`/operator/v1/${type}`, { 'filter[name_contains]': query, 'page[size]': 5 });
  const carriers = useRead(named('carriers'));
  const providers = useRead(named('providers'));
  const isLooking =
    typed.trim().length >= 2 &&
    (query !== typed.trim() ||
      [accounts, numbers, orders, calls, carriers, providers].some(({ isFetching }) => isFetching));
  const found = (wanted: boolean, actions: SpotlightActionData[]) => (wanted ? actions : []);
  return (
    <Spotlight
      actions={[
        {
          group: 'Customers',
          actions: found(
            query.length >= 2,
            (accounts.data?.data ?? []).map(({ id, attributes }) => ({
              id,
              label: attributes.name,
              description: attributes.email ?? 'A customer',
              keywords: query,
              onClick: () => navigate({ to: '/operator/accounts/$id', params: { id } }),
            })),
          ),
        },
        {
          group: 'Numbers',
          actions: found(
            digits.length >= 3,
            (numbers.data?.data ?? []).map(({ id, attributes }) => ({
              id,
              label: showNumber(attributes.number),
              description: attributes.state,
              keywords: query,
              onClick: () => navigate({ to: '/operator/numbers/$id', params: { id } }),
            })),
          ),
        },
        {
          group: 'Orders',
          actions: found(
            orders.data !== undefined && query.includes('-'),
            (orders.data?.data ?? []).map(({ id, attributes }) => ({
              id,
              label: attributes.reference,
              description: attributes.description,
              keywords: query,
              onClick: () => navigate({ to: '/operator/orders/$id', params: { id } }),
            })),
          ),
        },
        {
          group: 'Calls',
          actions: found(
            digits.length >= 5,
            (calls.data?.data ?? []).map(({ id, attributes }) => ({
              id,
              label: `${showNumber(attributes.src_number)} → ${showNumber(attributes.did_number)}`,
              description: `${showTime(attributes.time_start)}, ${attributes.success ? 'answered' : `failed ${attributes.disconnect_code}`}`,
              keywords: query,
              onClick: () => navigate({ to: '/operator/calls', search: { direction: 'in', q: attributes.did_number } }),
            })),
          ),
        },
        {
          group: 'Carriers and providers',
          actions: found(query.length >= 2, [
            ...(carriers.data?.data ?? []).map(({ id, attributes }) => ({
              id,
              label: attributes.name,
              description: 'A carrier',
              keywords: query,
              onClick: () => navigate({ to: '/operator/carriers/$id', params: { id } }),
            })),
            ...(providers.data?.data ?? []).map(({ id, attributes }) => ({
              id,
              label: attributes.name,
              description: 'A provider of codes',
              keywords: query,
              onClick: () => navigate({ to: '/operator/providers/$id', params: { id } }),
            })),
          ]),
        },
        {
          group: 'Pages',
          actions: pages.map(({ path, label, about }) => ({
            id: path,
            label,
            description: about,
            onClick: () => navigate({ to: path }),
          })),
        },
      ]}
      query={typed}
      onQueryChange={setTyped}
      shortcut={['mod + K']}
      nothingFound={isLooking ? 'Searching …' : 'Nothing found'}
      searchProps={{
        placeholder: 'Find a customer, number, order or page',
        'aria-label': 'Find a customer, number, order or page',
        onKeyDown: openFirst,
        rightSection: isLooking ? <Loader size={16} aria-label="Searching" /> : null,
      }}
      scrollable
      maxHeight={400}
    />
  );
}
