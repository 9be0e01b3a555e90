/** Brazil: the largest places of every state from the geocoding table, which names the state after each place. */
import type { Group } from './places.ts';
import { geocodes } from './sources.ts';
import { type StockFinder, seeded } from './stock.ts';

const placesPerState = 7;

export function brazil(stock: StockFinder): Group[] {
  const places = new Map<string, { name: string; state: string; digits: string[] }>();
  for (const [digits, text] of geocodes('55')) {
    const [, name, state] = /^([^/(]+) - ([A-Z]{2})$/.exec(text) ?? [];
    if (!name || !state) continue;
    const place = places.get(text) ?? { name, state, digits: [] };
    places.set(text, place);
    place.digits.push(digits);
  }
  const perState = new Map<string, number>();
  return [...places.values()]
    .sort((a, b) => b.digits.length - a.digits.length || (a.name < b.name ? -1 : 1))
    .filter(({ state }) => {
      const taken = perState.get(state) ?? 0;
      perState.set(state, taken + 1);
      return taken < placesPerState;
    })
    .map(({ name, state, digits }) => {
      const [first = ''] = digits.sort();
      const count = [0, 10, 20, 30, 50][seeded(`BR ${name} size`) % 5] ?? 0;
      return {
        country: 'BR',
        type: 'Local',
        prefix: first.slice(0, 2),
        areaName: name,
        region: `BR-${state}`,
        ranges: stock.plausible('BR', first, ['FIXED_LINE'], `BR ${name}`, count),
      };
    });
}
