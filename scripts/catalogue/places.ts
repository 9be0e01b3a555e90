/**
 * Turns the tables of places into cities and local number groups with stock, checking every prefix against the open
 * data.
 */
import { europe } from './places-europe.ts';
import type { PlacesOfCountry } from './places-of-country.ts';
import { world } from './places-world.ts';
import { diallingCode, geocodes } from './sources.ts';
import type { Range, StockFinder } from './stock.ts';

export interface Group {
  country: string;
  type: string;
  prefix: string;
  areaName: string;
  region: string | null;
  ranges: Range[];
}

export const places: Record<string, PlacesOfCountry> = { ...europe, ...world };

export function localGroups(stock: StockFinder): Group[] {
  return Object.entries(places).flatMap(([iso, regions]) => {
    const calling = diallingCode(iso) ?? '';
    const names = geocodes(calling);
    return Object.entries(regions).flatMap(([region, list]) =>
      list.split(',').map((entry): Group => {
        const [prefix = '', written] = entry.trim().split('=');
        const areaName = written ?? nameOf(iso, prefix, names);
        const group = { country: iso, type: 'Local', prefix, areaName, region: region ? `${iso}-${region}` : null };
        return { ...group, ranges: stock.forLocal(iso, prefix, areaName, digitsOf(names, prefix, areaName)) };
      }),
    );
  });
}

function nameOf(iso: string, prefix: string, names: Map<string, string>): string {
  const name = names.get(prefix) ?? commonest([...names].filter(([p]) => p.startsWith(prefix)).map(([, n]) => n));
  if (!name || /[/,(]|Region|Province|County/.test(name))
    throw new Error(`${iso} ${prefix}: write a name, not "${name}"`);
  return name;
}

function commonest(names: string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0];
}

/** The digits that the geocoding table ties to the place, so that its numbers look it up as that place. */
function digitsOf(names: Map<string, string>, prefix: string, areaName: string): string {
  const own = [...names].filter(
    ([p, n]) => p.startsWith(prefix) && p.length <= prefix.length + 3 && n.startsWith(areaName),
  );
  return own.map(([p]) => p).sort((a, b) => a.length - b.length || (a < b ? -1 : 1))[0] ?? prefix;
}
