/** The customer's pages in the menu and in ⌘K. */
export interface PageEntry {
  to: string;
  label: string;
  about: string;
}

export interface PageSection {
  title: string;
  sandboxOnly?: boolean;
  pages: readonly PageEntry[];
}

export const sections: readonly PageSection[] = [
  {
    title: 'Numbers',
    pages: [
      { to: '/', label: 'Dashboard', about: 'Balance, numbers, orders and calls at a glance' },
      { to: '/notifications', label: 'Notifications', about: 'What needs your attention' },
      { to: '/numbers', label: 'Numbers', about: 'The numbers you own and where they ring' },
      { to: '/buy', label: 'Buy numbers', about: 'Browse countries and cities, with prices' },
      { to: '/cart', label: 'Cart', about: 'What you are about to buy' },
      { to: '/orders', label: 'Orders', about: 'What you have bought' },
      { to: '/statements', label: 'Statements', about: 'What moved your balance, month by month' },
      { to: '/invoices', label: 'Invoices', about: 'What you were charged, with VAT' },
      { to: '/registrations', label: 'Registrations', about: 'Paperwork that numbers need in some countries' },
      { to: '/identities', label: 'Identities', about: 'Who numbers are registered for' },
      { to: '/emergency', label: 'Emergency calling', about: 'Numbers that may call emergency services' },
    ],
  },
  {
    title: 'Voice',
    pages: [
      { to: '/trunks', label: 'Trunks', about: 'Where inbound calls go' },
      { to: '/trunk-groups', label: 'Trunk groups', about: 'Several trunks, tried in turn' },
      { to: '/outbound-trunks', label: 'Outbound trunks', about: 'How your equipment makes calls' },
      { to: '/capacity', label: 'Capacity', about: 'Channels: how many calls at a time' },
      { to: '/calls', label: 'Calls', about: 'Active calls, and those that have ended' },
      { to: '/exports', label: 'Exports', about: 'Call records as files' },
    ],
  },
  {
    title: 'Verification',
    pages: [
      { to: '/applications', label: 'OTP applications', about: 'Clients of the verification service' },
      { to: '/verifications', label: 'Verification log', about: 'Phones that were verified, and those that were not' },
    ],
  },
  {
    title: 'Developers',
    pages: [
      { to: '/keys', label: 'API keys', about: 'Keys for your programs' },
      { to: '/usage', label: 'API usage', about: 'Requests of each key, errors grouped' },
      { to: '/versions', label: 'API version', about: 'The version your requests use, and what another would change' },
      { to: '/events', label: 'Call events', about: 'Events that are sent while calls happen' },
      { to: '/callbacks', label: 'Callbacks', about: 'What was sent to your programs' },
      { to: '/signatures', label: 'Signature debugger', about: 'Why a signature does not match' },
    ],
  },
  {
    title: 'People',
    pages: [
      { to: '/team', label: 'Team', about: 'Who else signs in to this account' },
      { to: '/login', label: 'Your login', about: 'Password, app for codes, passkeys' },
      { to: '/sessions', label: 'Sessions', about: 'Where you are signed in' },
    ],
  },
  {
    title: 'Sandbox',
    sandboxOnly: true,
    pages: [
      { to: '/start', label: 'First minute', about: 'Buy, route, call, see the event' },
      { to: '/inbox', label: 'Phone inbox', about: 'Codes that would have been sent' },
      { to: '/simulator', label: 'Call simulator', about: 'Call one of your numbers' },
      { to: '/clock', label: 'Clock', about: 'Move time forward' },
      { to: '/scenarios', label: 'Scenarios', about: 'Make things fail; numbers that always behave the same way' },
    ],
  },
];
