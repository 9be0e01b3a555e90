/** Who may move the sandbox's clock. */

/** Accounts are named by id, name or e-mail address. The operator always may, on the command line. */
export type ClockMovers = 'any' | 'operator' | { readonly accounts: readonly string[] };
