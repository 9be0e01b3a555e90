/** The customer's pages in the menu and in ⌘K. */
export interface PageEntry {
  to:
    | '/'
    | '/numbers'
    | '/buy'
    | '/cart'
    | '/orders'
    | '/trunks'
    | '/calls'
    | '/keys'
    | '/applications'
    | '/sessions'
    | '/inbox'
    | '/simulator'
    | '/clock';
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
      { to: '/numbers', label: 'Numbers', about: 'The numbers you own and where they ring' },
      { to: '/buy', label: 'Buy numbers', about: 'Browse countries and cities, with prices' },
      { to: '/cart', label: 'Cart', about: 'What you are about to buy' },
      { to: '/orders', label: 'Orders', about: 'What you have bought' },
    ],
  },
  {
    title: 'Voice',
    pages: [
      { to: '/trunks', label: 'Trunks', about: 'Where inbound calls go' },
      { to: '/calls', label: 'Calls', about: 'Inbound calls that have ended' },
    ],
  },
  {
    title: 'Developers',
    pages: [
      { to: '/keys', label: 'API keys', about: 'Keys for your programs' },
      { to: '/applications', label: 'OTP applications', about: 'Clients of the verification service' },
      { to: '/sessions', label: 'Sessions', about: 'Where you are signed in' },
    ],
  },
  {
    title: 'Sandbox',
    sandboxOnly: true,
    pages: [
      { to: '/inbox', label: 'Phone inbox', about: 'Codes that would have been sent' },
      { to: '/simulator', label: 'Call simulator', about: 'Call one of your numbers' },
      { to: '/clock', label: 'Clock', about: 'Move time forward' },
    ],
  },
];
