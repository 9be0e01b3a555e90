/**
 * The routes of the panel's pages, from the table of them. Each address is a route of its own, so that links and
 * parameters are checked when they are compiled.
 */
import { type AnyRoute, createRoute, type RouteComponent } from '@tanstack/react-router';
import type { FunctionComponent } from 'react';
import type { PageEntry, PageSection } from '../../src/interfaces/panel/pages/page-section.ts';
import { lazyPage } from './parts/lazy-page.tsx';
import { parent } from './root-route.tsx';

type PagesOf<Sections extends readonly PageSection[]> = Sections[number]['pages'][number];

/** What is below a page; of a page that has nothing below it, an object without members. */
type Below<Page> = Page extends { below: infer Pages } ? Pages : Record<never, never>;
type NamesOf<Page> = Page extends PageEntry ? Page['component'] | ValuesOf<Below<Page>> : never;
type ValuesOf<Names> = Extract<Names[keyof Names], string>;
type AddressesOf<Page> = Page extends PageEntry
  ? Page['path'] | `${Page['path']}/${Extract<keyof Below<Page>, string>}`
  : never;

/** Every address of these pages; what is not in their table does not compile. */
export type AddressOf<Sections extends readonly PageSection[]> = AddressesOf<PagesOf<Sections>>;

/** A page without a file, and a file without a page, do not compile; nor does a file that lacks the component. */
export type FilesOf<Sections extends readonly PageSection[], Loaded extends string = never> = {
  readonly [Name in Exclude<NamesOf<PagesOf<Sections>>, Loaded>]: () => Promise<Record<Name, FunctionComponent>>;
};

const routeOf = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ ...parent, path, component });

type RoutesOf<Sections extends readonly PageSection[]> = {
  [Path in AddressesOf<PagesOf<Sections>>]: ReturnType<typeof routeOf<Path>>;
};

/** `loaded` has the components that come with the panel, by name. */
export function routesOf<const Sections extends readonly PageSection[]>(
  sections: Sections,
  files: Readonly<Record<string, () => Promise<Record<string, FunctionComponent>>>>,
  loaded: Readonly<Record<string, FunctionComponent>> = {},
): RoutesOf<Sections> {
  const componentOf = (name: string): RouteComponent => {
    const file = files[name];
    const component = file === undefined ? loaded[name] : lazyPage(file, name);
    if (component === undefined) throw new Error(`No file has the page ${name}`);
    return component;
  };
  const pages = sections.flatMap((section) => section.pages);
  const shown = pages.flatMap(({ path, component, below = {} }) => [
    { path, component },
    ...Object.entries(below).map(([rest, name]) => ({ path: `${path}/${rest}`, component: name })),
  ]);
  const routes = shown.map(({ path, component }): [string, AnyRoute] => [path, routeOf(path, componentOf(component))]);
  return Object.fromEntries(routes) as RoutesOf<Sections>;
}
