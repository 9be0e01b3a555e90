/** Customers as choices of a form's field: those that match what is typed, and the one that is chosen already. */
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { Many } from '../api/documents.ts';
import { pathWith, useRead } from '../api/queries.ts';
import type { Account } from './documents.ts';

type Choices = readonly { value: string; label: string }[];

export function useCustomers(chosenId: string | null): [Choices, (text: string) => void] {
  const [typed, setTyped] = useState('');
  const [query] = useDebouncedValue(typed.trim(), 200);
  const found = useRead<Many<Account>>(
    pathWith('/operator/v1/accounts', {
      'filter[search]': query.length < 2 ? '' : query,
      'page[size]': 25,
      sort: 'name',
    }),
  );
  const chosen = useRead<Many<Account>>(
    chosenId === null ? null : pathWith('/operator/v1/accounts', { 'filter[id]': chosenId }),
  );
  const records = [...(chosenId === null ? [] : (chosen.data?.data ?? [])), ...(found.data?.data ?? [])];
  const choices = new Map(records.map(({ id, attributes }) => [id, { value: id, label: attributes.name }]));
  return [[...choices.values()], setTyped];
}
