/** The operator's pages in the menu and in ⌘K. */
import type { OperatorRole } from '../api/queries.ts';

export interface OperatorPageEntry {
  to:
    | '/operator'
    | '/operator/accounts'
    | '/operator/numbers'
    | '/operator/routing'
    | '/operator/orders'
    | '/operator/ledger'
    | '/operator/adjustments'
    | '/operator/audit'
    | '/operator/jobs'
    | '/operator/callbacks'
    | '/operator/operators';
  label: string;
  about: string;
}

export interface OperatorSection {
  title: string;
  /** Only these see it; without it everybody. */
  roles?: readonly OperatorRole[];
  pages: readonly OperatorPageEntry[];
}

export const operatorSections: readonly OperatorSection[] = [
  {
    title: 'Business',
    pages: [
      { to: '/operator', label: 'Overview', about: 'What needs attention, and how the platform is' },
      { to: '/operator/accounts', label: 'Customers', about: 'Accounts: limits, money, suspension' },
      { to: '/operator/numbers', label: 'Numbers', about: 'Whose a number is, and what it does' },
      { to: '/operator/orders', label: 'Orders', about: 'What customers bought' },
    ],
  },
  {
    title: 'Money',
    pages: [
      { to: '/operator/ledger', label: 'Ledger', about: 'Every movement of money' },
      { to: '/operator/adjustments', label: 'Adjustments', about: 'Corrections of balances' },
    ],
  },
  {
    title: 'Operations',
    pages: [
      { to: '/operator/routing', label: 'Routing dry run', about: 'Where a call would go now, and why' },
      { to: '/operator/jobs', label: 'Jobs', about: 'What waits, runs, or gave up' },
      { to: '/operator/callbacks', label: 'Callbacks', about: 'What was sent to customers, and what failed' },
      { to: '/operator/audit', label: 'Audit log', about: 'What operators did, and who signed in' },
    ],
  },
  {
    title: 'Team',
    roles: ['owner'],
    pages: [{ to: '/operator/operators', label: 'Operators', about: 'Who may use these pages' }],
  },
];
