/** The operator's pages in the menu and in ⌘K. */
import type { OperatorRole } from '../api/queries.ts';

export interface OperatorPageEntry {
  to: string;
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
      { to: '/operator/review', label: 'Review queue', about: 'Paperwork that waits for a decision' },
      { to: '/operator/numbers', label: 'Numbers', about: 'Who owns a number, and what it does' },
      { to: '/operator/orders', label: 'Orders', about: 'What customers bought' },
      {
        to: '/operator/stock',
        label: 'Stock',
        about: 'What is left to sell; withdraw, hold, release and move numbers',
      },
      { to: '/operator/imports', label: 'Catalogue imports', about: 'Files with groups, offers and numbers' },
      { to: '/operator/back-orders', label: 'Back orders', about: 'Who waits for numbers that are not in stock' },
    ],
  },
  {
    title: 'Money',
    pages: [
      { to: '/operator/ledger', label: 'Ledger', about: 'Every movement of money' },
      { to: '/operator/proofs', label: 'Ledger checks', about: 'Whether the ledger adds up' },
      { to: '/operator/prices', label: 'Price lists', about: 'Prices from files, with their differences' },
      {
        to: '/operator/verification-rates',
        label: 'Verification prices',
        about: 'What codes cost, by prefix and delivery method',
      },
      {
        to: '/operator/margins',
        label: 'Margins',
        about: 'What outbound calls earned and cost, by carrier and prefix',
      },
      { to: '/operator/invoices', label: 'Invoices', about: 'Invoices for past months' },
      { to: '/operator/refunds', label: 'Refunds', about: 'Refunds of completed orders' },
      { to: '/operator/adjustments', label: 'Adjustments', about: 'Corrections of balances' },
    ],
  },
  {
    title: 'Calls and codes',
    pages: [
      { to: '/operator/calls', label: 'Calls', about: 'Active calls, and records of those that have ended' },
      { to: '/operator/refusals', label: 'Refused calls', about: 'Which rule turned calls away, and from where' },
      { to: '/operator/routing', label: 'Routing dry run', about: 'Where a call would go now, and why' },
      { to: '/operator/carriers', label: 'Carriers', about: 'Networks that bring and take calls' },
      { to: '/operator/routes', label: 'Routes', about: 'Who gets calls and codes for numbers with a prefix' },
      { to: '/operator/risks', label: 'Risk classes', about: 'Daily limits of destinations that are used for fraud' },
      { to: '/operator/caller-names', label: "Callers' names", about: 'Names that trunks get with a call' },
      {
        to: '/operator/verifications',
        label: 'Verifications',
        about: 'Phones that were verified, and those that were not',
      },
      { to: '/operator/providers', label: 'Providers', about: 'Who delivers codes; health, test messages' },
      {
        to: '/operator/conversion',
        label: 'Conversion',
        about: 'How many codes came back, by country, prefix or provider',
      },
      {
        to: '/operator/prefixes',
        label: 'Prefix blocks',
        about: 'Prefixes that are blocked, watched or safe, and why',
      },
      { to: '/operator/guards', label: 'Guards', about: 'Limits on verifications, and what they have refused' },
    ],
  },
  {
    title: 'Operations',
    pages: [
      { to: '/operator/health', label: 'Health', about: 'What the alerts watch, measured now' },
      { to: '/operator/jobs', label: 'Jobs', about: 'What waits, runs, or gave up' },
      { to: '/operator/callbacks', label: 'Callbacks', about: 'What was sent to customers, and what failed' },
      { to: '/operator/requests', label: 'Request log', about: 'Requests of the last days' },
      { to: '/operator/audit', label: 'Audit log', about: 'What operators did, and who signed in' },
      { to: '/operator/erasures', label: 'Erasures', about: 'Personal data that was erased' },
    ],
  },
  {
    title: 'Team',
    roles: ['owner'],
    pages: [
      { to: '/operator/operators', label: 'Operators', about: 'Who may use these pages' },
      { to: '/operator/keys', label: 'Operator keys', about: 'Keys of programs for the operator interface' },
    ],
  },
];
