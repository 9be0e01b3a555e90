/** Customers' pages, in the order of the menu. */
import type { PageSection } from './page-section.ts';

export const customerSections = [
  {
    title: 'Home',
    icon: 'home',
    pages: [
      {
        path: '/',
        component: 'Home',
        label: 'Home',
        about: 'What needs you now, and how things go',
      },
      {
        path: '/notifications',
        component: 'Notifications',
        label: 'Notifications',
        about: 'What needs your attention',
      },
    ],
  },
  {
    title: 'Numbers',
    icon: 'numbers',
    pages: [
      {
        path: '/numbers',
        component: 'Numbers',
        label: 'Your numbers',
        about: 'The numbers you own and where they ring',
        below: { $id: 'NumberPage' },
      },
      {
        path: '/buy',
        component: 'Buy',
        label: 'Buy numbers',
        about: 'Browse countries and cities, with prices',
        below: { $id: 'GroupPage' },
      },
      { path: '/cart', component: 'CartPage', label: 'Cart', about: 'What you are about to buy' },
      {
        path: '/registrations',
        component: 'Registrations',
        label: 'Registrations',
        about: 'Paperwork that numbers need in some countries',
        below: { new: 'RegistrationWizard', $id: 'RegistrationPage' },
      },
      {
        path: '/identities',
        component: 'Identities',
        label: 'Identities',
        about: 'Who numbers are registered for',
        below: { new: 'NewIdentity', $id: 'IdentityPage' },
      },
      {
        path: '/emergency',
        component: 'Emergency',
        label: 'Emergency calling',
        about: 'Numbers that may call emergency services',
      },
    ],
  },
  {
    title: 'Voice',
    icon: 'voice',
    pages: [
      {
        path: '/trunks',
        component: 'Trunks',
        label: 'Trunks',
        about: 'Where inbound calls go',
        below: { new: 'NewTrunk', $id: 'TrunkPage' },
      },
      {
        path: '/trunk-groups',
        component: 'TrunkGroups',
        label: 'Trunk groups',
        about: 'Several trunks, tried in turn',
        below: { new: 'NewTrunkGroup', $id: 'TrunkGroupPage' },
      },
      {
        path: '/outbound-trunks',
        component: 'OutboundTrunks',
        label: 'Outbound trunks',
        about: 'How your equipment makes calls',
        below: { new: 'NewOutboundTrunk', $id: 'OutboundTrunkPage' },
      },
      {
        path: '/phone',
        component: 'PhonePage',
        label: 'Browser phone',
        about: 'Let a number ring in this browser, and call from it',
      },
      { path: '/capacity', component: 'Capacity', label: 'Capacity', about: 'Channels: how many calls at a time' },
      {
        path: '/calls',
        component: 'Calls',
        label: 'Calls',
        about: 'Active calls, and those that have ended',
        below: { $id: 'CallPage', 'out/$id': 'OutboundCallPage' },
      },
      { path: '/exports', component: 'Exports', label: 'Exports', about: 'Call records as files' },
    ],
  },
  {
    title: 'Verify',
    icon: 'verify',
    pages: [
      {
        path: '/applications',
        component: 'Applications',
        label: 'Applications',
        about: 'Clients of the verification service',
      },
      {
        path: '/verifications',
        component: 'Verifications',
        label: 'Verification log',
        about: 'Phones that were verified, and those that were not',
        below: { $id: 'VerificationPage' },
      },
    ],
  },
  {
    title: 'Developers',
    icon: 'developers',
    pages: [
      { path: '/keys', component: 'Keys', label: 'API keys', about: 'Keys for your programs' },
      {
        path: '/callbacks',
        component: 'Callbacks',
        label: 'Callbacks',
        about: 'What was sent to your programs',
        below: { $id: 'CallbackPage' },
      },
      { path: '/events', component: 'Events', label: 'Call events', about: 'Events that are sent while calls happen' },
      {
        path: '/signatures',
        component: 'Signatures',
        label: 'Signature debugger',
        about: 'Why a signature does not match',
      },
      { path: '/usage', component: 'Usage', label: 'API usage', about: 'Requests of each key, errors grouped' },
      {
        path: '/versions',
        component: 'Versions',
        label: 'API version',
        about: 'The version your requests use, and what another would change',
      },
    ],
  },
  {
    title: 'Billing',
    icon: 'billing',
    pages: [
      {
        path: '/orders',
        component: 'Orders',
        label: 'Orders',
        about: 'What you have bought',
        below: { $id: 'OrderPage' },
      },
      {
        path: '/statements',
        component: 'Statements',
        label: 'Statements',
        about: 'What moved your balance, month by month',
      },
      { path: '/invoices', component: 'Invoices', label: 'Invoices', about: 'What you were charged, with VAT' },
      { path: '/billing', component: 'Billing', label: 'Billing details', about: 'Who you are on invoices' },
    ],
  },
  {
    title: 'Sandbox tools',
    icon: 'sandbox',
    sandboxOnly: true,
    pages: [
      { path: '/start', component: 'FirstMinute', label: 'First minute', about: 'Buy, route, call, see the event' },
      { path: '/inbox', component: 'Inbox', label: 'Phone inbox', about: 'Codes that would have been sent' },
      { path: '/simulator', component: 'Simulator', label: 'Call simulator', about: 'Call one of your numbers' },
      { path: '/clock', component: 'ClockPage', label: 'Clock', about: 'Move time forward' },
      {
        path: '/scenarios',
        component: 'Scenarios',
        label: 'Scenarios',
        about: 'Make things fail; numbers that always behave the same way',
      },
    ],
  },
  {
    title: 'Team',
    icon: 'team',
    pages: [
      { path: '/team', component: 'Team', label: 'Team', about: 'Who else signs in to this account' },
      {
        path: '/login',
        component: 'LoginPage',
        label: 'Your login',
        about: 'Password, app for codes, passkeys',
        isAboutLogin: true,
      },
      {
        path: '/sessions',
        component: 'Sessions',
        label: 'Sessions',
        about: 'Where you are signed in',
        isAboutLogin: true,
      },
    ],
  },
] as const satisfies readonly PageSection[];
