/** Operators' pages, in the order of the menu. `/operator/v1` and `/operator/docs` are beside them. */
import type { PageSection } from './page-section.ts';

export const operatorSections = [
  {
    title: 'Home',
    icon: 'home',
    pages: [
      {
        path: '/operator',
        component: 'Overview',
        label: 'Overview',
        about: 'What needs attention, and how the platform is',
      },
    ],
  },
  {
    title: 'Customers',
    icon: 'customers',
    pages: [
      {
        path: '/operator/accounts',
        component: 'Accounts',
        label: 'Accounts',
        about: 'Accounts: limits, money, suspension',
        below: { $id: 'AccountPage', '$id/statement': 'StatementPage', '$id/billing': 'BillingPage' },
      },
      {
        path: '/operator/review',
        component: 'ReviewQueue',
        label: 'Review queue',
        about: 'Paperwork that waits for a decision',
        below: { $id: 'SubmissionPage' },
      },
      {
        path: '/operator/orders',
        component: 'Orders',
        label: 'Orders',
        about: 'What customers bought',
        below: { $id: 'OrderPage' },
      },
      {
        path: '/operator/back-orders',
        component: 'BackOrders',
        label: 'Back orders',
        about: 'Who waits for numbers that are not in stock',
      },
    ],
  },
  {
    title: 'Numbers',
    icon: 'numbers',
    pages: [
      {
        path: '/operator/numbers',
        component: 'Numbers',
        label: 'Look up numbers',
        about: 'Who owns a number, and what it does',
        below: { $id: 'NumberPage' },
      },
      {
        path: '/operator/stock',
        component: 'StockReport',
        label: 'Stock',
        about: 'What is left to sell; withdraw, hold, release and move numbers',
      },
      {
        path: '/operator/imports',
        component: 'Imports',
        label: 'Catalogue imports',
        about: 'Files with groups, offers and numbers',
        below: { $id: 'ImportPage' },
      },
      {
        path: '/operator/suppliers',
        component: 'Suppliers',
        label: 'Suppliers',
        about: 'Platforms whose numbers could be sold here, and their state',
      },
      {
        path: '/operator/supplier-offers',
        component: 'SupplierOffers',
        label: 'Offers of suppliers',
        about: 'What suppliers charge beside the prices here',
      },
    ],
  },
  {
    title: 'Money',
    icon: 'money',
    pages: [
      { path: '/operator/ledger', component: 'Ledger', label: 'Ledger', about: 'Every movement of money' },
      { path: '/operator/proofs', component: 'Proofs', label: 'Ledger checks', about: 'Whether the ledger adds up' },
      {
        path: '/operator/prices',
        component: 'PriceLists',
        label: 'Price lists',
        about: 'Prices from files, with their differences',
        below: { $id: 'PriceListPage' },
      },
      {
        path: '/operator/verification-rates',
        component: 'VerificationRates',
        label: 'Verification prices',
        about: 'What codes cost, by prefix and delivery method',
      },
      {
        path: '/operator/margins',
        component: 'Margins',
        label: 'Margins',
        about: 'What outbound calls earned and cost, by carrier and prefix',
      },
      { path: '/operator/invoices', component: 'Invoices', label: 'Invoices', about: 'Invoices for past months' },
      { path: '/operator/refunds', component: 'Refunds', label: 'Refunds', about: 'Refunds of completed orders' },
      {
        path: '/operator/adjustments',
        component: 'Adjustments',
        label: 'Adjustments',
        about: 'Corrections of balances',
      },
    ],
  },
  {
    title: 'Voice',
    icon: 'voice',
    pages: [
      {
        path: '/operator/calls',
        component: 'Calls',
        label: 'Calls',
        about: 'Active calls, and records of those that have ended',
      },
      {
        path: '/operator/refusals',
        component: 'Refusals',
        label: 'Refused calls',
        about: 'Which rule turned calls away, and from where',
      },
      {
        path: '/operator/routing',
        component: 'Routing',
        label: 'Routing dry run',
        about: 'Where a call would go now, and why',
      },
      {
        path: '/operator/carriers',
        component: 'Carriers',
        label: 'Carriers',
        about: 'Networks that bring and take calls',
        below: { new: 'NewCarrier', $id: 'CarrierPage' },
      },
      {
        path: '/operator/routes',
        component: 'Routes',
        label: 'Routes',
        about: 'Who gets calls and codes for numbers with a prefix',
      },
      {
        path: '/operator/signing',
        component: 'SigningCertificates',
        label: 'Signing of calls',
        about: 'Certificates with which calls to carriers are signed',
      },
      {
        path: '/operator/risks',
        component: 'Risks',
        label: 'Risk classes',
        about: 'Daily limits of destinations that are used for fraud',
      },
      {
        path: '/operator/caller-names',
        component: 'CallerNames',
        label: "Callers' names",
        about: 'Names that trunks get with a call',
      },
    ],
  },
  {
    title: 'Verify',
    icon: 'verify',
    pages: [
      {
        path: '/operator/verifications',
        component: 'Verifications',
        label: 'Verification log',
        about: 'Phones that were verified, and those that were not',
      },
      {
        path: '/operator/providers',
        component: 'Providers',
        label: 'Providers',
        about: 'Who delivers codes; health, test messages',
        below: { new: 'NewProvider', $id: 'ProviderPage' },
      },
      {
        path: '/operator/conversion',
        component: 'Conversion',
        label: 'Conversion',
        about: 'How many codes came back, by country, prefix or provider',
      },
      {
        path: '/operator/prefixes',
        component: 'Prefixes',
        label: 'Prefix blocks',
        about: 'Prefixes that are blocked, watched or safe, and why',
      },
      {
        path: '/operator/guards',
        component: 'Guards',
        label: 'Guards',
        about: 'Limits on verifications, and what they have refused',
      },
    ],
  },
  {
    title: 'Operations',
    icon: 'operations',
    pages: [
      { path: '/operator/health', component: 'Health', label: 'Health', about: 'What the alerts watch, measured now' },
      { path: '/operator/jobs', component: 'Jobs', label: 'Jobs', about: 'What waits, runs, or gave up' },
      {
        path: '/operator/callbacks',
        component: 'Deliveries',
        label: 'Callbacks',
        about: 'What was sent to customers, and what failed',
      },
      { path: '/operator/requests', component: 'Requests', label: 'Request log', about: 'Requests of the last days' },
      {
        path: '/operator/audit',
        component: 'Audit',
        label: 'Audit log',
        about: 'What operators did, and who signed in',
      },
      { path: '/operator/erasures', component: 'Erasures', label: 'Erasures', about: 'Personal data that was erased' },
    ],
  },
  {
    title: 'Team',
    icon: 'team',
    role: 'owner',
    pages: [
      { path: '/operator/operators', component: 'Operators', label: 'Operators', about: 'Who may use these pages' },
      {
        path: '/operator/keys',
        component: 'OperatorKeys',
        label: 'Operator keys',
        about: 'Keys of programs for the operator interface',
      },
    ],
  },
] as const satisfies readonly PageSection[];
