/** Filters that several of the operator's lists have. */
import type { ListFilter } from '../parts/resource-list.tsx';

/** By a link from a customer's page; there is no choice of customers in the list itself. */
export const accountFilter: ListFilter = { name: 'account.id', label: 'Customer', options: [], fromLinks: true };
