/**
 * How a page of the panel is declared, once, in `customers.ts` or `operators.ts`: the server answers at its address,
 * `web/src/page-routes.ts` makes its route, the menu and ⌘K list it. This folder is plain data, which both sides load.
 */
export interface PageEntry {
  path: string;
  /** The export that shows it; `page-files.ts` in `web/src/pages` or `web/src/operator` says which file has it. */
  component: string;
  label: string;
  about: string;
  /** What follows `path/` in the addresses of single records and forms, and their components. They are in no menu. */
  below?: Readonly<Record<string, string>>;
  /** Everybody has a login, so an operator sees this page without acting as a customer. */
  isAboutLogin?: true;
}

export type SectionIcon =
  | 'home'
  | 'numbers'
  | 'voice'
  | 'verify'
  | 'developers'
  | 'billing'
  | 'sandbox'
  | 'team'
  | 'customers'
  | 'money'
  | 'operations';

/** A place in the menu, which leads to its first page; the others are below it. */
export interface PageSection {
  title: string;
  icon: SectionIcon;
  sandboxOnly?: true;
  /** Only operators with this role see it; without it everybody. */
  role?: 'owner';
  pages: readonly PageEntry[];
}
