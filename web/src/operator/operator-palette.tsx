/** ⌘K of operators: pages, customers by name or e-mail address, numbers by their digits, orders by their reference. */
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Many } from '../api/documents.ts';
import { pathWith, useRead } from '../api/queries.ts';
import { showNumber } from '../parts/format.ts';
import type { Account, OperatorNumber, OperatorOrder } from './documents.ts';
import type { OperatorPageEntry } from './navigation.ts';

export function OperatorPalette({ pages }: { pages: readonly OperatorPageEntry[] }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [query] = useDebouncedValue(typed.trim(), 200);
  const digits = query.replace(/\D/g, '');
  const accounts = useRead<Many<Account>>(
    query.length < 2 ? null : pathWith('/operator/v1/accounts', { 'filter[search]': query, 'page[size]': 5 }),
  );
  const numbers = useRead<Many<OperatorNumber>>(
    digits.length < 3 ? null : pathWith('/operator/v1/numbers', { 'filter[number_contains]': digits, 'page[size]': 5 }),
  );
  const orders = useRead<Many<OperatorOrder>>(
    /^[a-z]{3}-\d{6}$/i.test(query)
      ? pathWith('/operator/v1/orders', { 'filter[reference]': query.toUpperCase(), 'page[size]': 1 })
      : null,
  );
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
              onClick: () => navigate({ to: '/operator/numbers', search: { q: attributes.number } }),
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
              onClick: () => navigate({ to: '/operator/orders', search: { q: attributes.reference } }),
            })),
          ),
        },
        {
          group: 'Pages',
          actions: pages.map(({ to, label, about }) => ({
            id: to,
            label,
            description: about,
            onClick: () => navigate({ to }),
          })),
        },
      ]}
      query={typed}
      onQueryChange={setTyped}
      shortcut={['mod + K']}
      nothingFound="Nothing found"
      searchProps={{ placeholder: 'Find a customer, number, order or page', 'aria-label': 'Find' }}
      scrollable
      maxHeight={400}
    />
  );
}
