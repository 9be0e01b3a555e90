/** Filters that several of the operator's lists have. */
import { showWords } from '../parts/format.ts';
import type { ListFilter } from '../parts/list-filters.tsx';

/** By a link from a customer's page; there is no choice of customers in the list itself. */
export const accountFilter: ListFilter = { name: 'account.id', label: 'Customer', options: [], fromLinks: true };

/** Words of the interface as choices. */
export const choices = (values: readonly string[]) => values.map((value) => ({ value, label: showWords(value) }));

export const yesOrNo = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

/** From one day to another, by the time of that name. */
export const between = (name: string): readonly ListFilter[] => [
  { name: `${name}_gteq`, label: 'From', options: [], day: 'start' },
  { name: `${name}_lteq`, label: 'To', options: [], day: 'end' },
];
