/** Pages of links in e-mails. They are in no menu and work whoever is signed in, so the shell shows them itself. */
export const linkedPages = [
  { path: '/password', component: 'SetPassword' },
  { path: '/email', component: 'ConfirmEmail' },
] as const;
