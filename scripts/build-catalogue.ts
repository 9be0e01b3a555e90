/**
 * Builds src/business/catalogue/demo/*.json from the open data in node_modules: `node scripts/build-catalogue.ts`.
 * The files are committed, so that running Trunkline needs none of these packages; the output is the same every time.
 */
import { writeFileSync } from 'node:fs';
import { areasWithCities, type City } from './catalogue/areas.ts';
import { brazil } from './catalogue/brazil.ts';
import { northAmerica } from './catalogue/nanp.ts';
import { global, nationwideGroups } from './catalogue/nationwide.ts';
import { type Group, localGroups } from './catalogue/places.ts';
import { regions } from './catalogue/regions.ts';
import { countries } from './catalogue/sources.ts';
import { StockFinder } from './catalogue/stock.ts';

const stock = new StockFinder();
const america = northAmerica();
const groups = [...localGroups(stock), ...brazil(stock), ...america.groups, ...nationwideGroups(stock)];
const cities = citiesOf(groups);
const regionsByCountry = regions();

checkReferences(groups);
write(
  'countries',
  [...countries(), global].map(({ iso, name, prefix }) => [iso, name, prefix]),
);
write('regions', regionsByCountry);
write('areas', areasWithCities(cities));
write(
  'groups',
  byCountry(groups, ({ type, prefix, areaName, region, ranges }) => [type, prefix, areaName, region, ranges]),
);
write(
  'nanpa',
  byCountry(america.prefixes, ({ npa, nxx, region, areaNames }) => [npa, nxx, region, areaNames]),
);

const numbers = groups.flatMap(({ ranges }) => ranges).reduce((sum, [, count]) => sum + count, 0);
process.stdout.write(
  `${new Set(groups.map(({ country }) => country)).size} countries sell ${groups.length} groups in ${cities.length} cities, ` +
    `${numbers} numbers, ${america.prefixes.length} NANPA prefixes\n`,
);

function checkReferences(all: Group[]): void {
  const codes = new Set(Object.values(regionsByCountry).flatMap((list) => list.map(([code]) => code)));
  const keys = new Set<string>();
  for (const { country, type, prefix, areaName, region } of all) {
    const key = `${country} ${type} ${prefix} ${region} ${areaName}`;
    if (keys.has(key)) throw new Error(`twice: ${key}`);
    keys.add(key);
    if (region !== null && !codes.has(region)) throw new Error(`unknown region in ${key}`);
  }
}

/** Every place with local numbers is a city, once per region however many area codes it has. */
function citiesOf(all: Group[]): City[] {
  const named = all
    .filter(({ type }) => type === 'Local')
    .map(
      ({ country, region, areaName }) =>
        [`${country} ${region} ${areaName}`, { country, region, name: areaName }] as const,
    );
  return [...new Map(named).values()];
}

function byCountry<T extends { country: string }>(all: T[], row: (item: T) => unknown): Record<string, unknown[]> {
  const sorted = [...all].sort((a, b) => (a.country < b.country ? -1 : a.country > b.country ? 1 : 0));
  const result: Record<string, unknown[]> = {};
  for (const item of sorted) {
    const list = result[item.country] ?? [];
    result[item.country] = list;
    list.push(row(item));
  }
  return result;
}

/** One entry per line: small enough, and a change shows as a readable diff. */
function write(name: string, data: unknown[] | Record<string, unknown>): void {
  const text = Array.isArray(data) ? list(data, '') : object(data);
  writeFileSync(new URL(`../src/business/catalogue/demo/${name}.json`, import.meta.url), `${text}\n`);
}

function object(data: Record<string, unknown>): string {
  const members = Object.entries(data).map(
    ([key, value]) => `${JSON.stringify(key)}: ${Array.isArray(value) ? list(value, ' ') : JSON.stringify(value)}`,
  );
  return `{\n${members.join(',\n')}\n}`;
}

function list(rows: unknown[], indent: string): string {
  return `[\n${rows.map((row) => `${indent}${JSON.stringify(row)}`).join(',\n')}\n]`;
}
