/**
 * North America: cities and NPA-NXX from the geocoding table of +1, stock from the 555-01XX numbers kept for fiction,
 * and for two exchanges that clients name.
 */
import type { Group } from './places.ts';
import { nanpFiction } from './reserved-ranges.ts';
import { areaCodesOfIsland, geocodes } from './sources.ts';
import type { Range } from './stock.ts';

interface NanpaPrefix {
  country: string;
  npa: string;
  nxx: string;
  region: string | null;
  /** The groups of this area code that sell under it. */
  areaNames: string[];
}

const canadian = new Set(['AB', 'BC', 'MB', 'NB', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT']);
const citiesPerRegion = { US: 13, CA: 16 };
const areaCodesPerCity = 3;
const exchangesPerGroup = 2;

/** The table shortens or keeps old names in places. */
const written: Record<string, string> = {
  'N Little Rock': 'North Little Rock',
  'Saint Cloud': 'St. Cloud',
  'Saint Paul': 'St. Paul',
  'Hilton Head Isle': 'Hilton Head Island',
  'Nelson-Miramichi': 'Miramichi',
  'Cap-Pele': 'Cap-Pelé',
  Barrow: 'Utqiagvik',
};

const islands: Record<string, string> = {
  PR: 'San Juan',
  DO: 'Santo Domingo',
  JM: 'Kingston',
  BS: 'Nassau',
  TT: 'Port of Spain',
  BB: 'Bridgetown',
  BM: 'Hamilton',
  KY: 'George Town',
};
const tollFree = ['800', '833', '844', '855', '866', '877', '888'];

interface Place {
  country: 'US' | 'CA';
  region: string;
  name: string;
  /** Area code → exchanges. */
  exchanges: Map<string, string[]>;
}

/** Sold as well, whatever their size: examples of existing clients name them. */
const beverlyHills: Place = {
  country: 'US',
  region: 'US-CA',
  name: 'Beverly Hills',
  exchanges: new Map([['310', ['271', '273']]]),
};
const namedExchanges = [
  { npa: '201', nxx: '221', areaName: 'Jersey City' },
  { npa: '212', nxx: '461', areaName: 'New York' },
];

export function northAmerica(): { groups: Group[]; prefixes: NanpaPrefix[] } {
  const chosen = choose(withoutStrays(readPlaces()));
  if (!chosen.some(({ name }) => name === beverlyHills.name)) chosen.push(beverlyHills);
  const byAreaCode = new Map<string, { place: Place; exchanges: string[] }[]>();
  for (const place of chosen) {
    for (const [npa, exchanges] of place.exchanges) {
      byAreaCode.set(npa, [...(byAreaCode.get(npa) ?? []), { place, exchanges }]);
    }
  }
  const groups: Group[] = [];
  const prefixes: NanpaPrefix[] = [];
  for (const [npa, sellers] of [...byAreaCode].sort(([a], [b]) => (a < b ? -1 : 1))) {
    sellers.sort((a, b) => b.exchanges.length - a.exchanges.length || (a.place.name < b.place.name ? -1 : 1));
    const [main] = sellers;
    if (!main) continue;
    // Two area codes cover several provinces; their reserved exchange is in the one with most of the numbers.
    const stocked = sellers.filter(({ place }) => place.region === main.place.region);
    const shares = fictionShares(npa, stocked.length);
    for (const seller of sellers) {
      const { country, region, name } = seller.place;
      const named = namedExchanges.filter((each) => each.npa === npa && each.areaName === name);
      const ranges = [...(shares[stocked.indexOf(seller)] ?? []), ...named.map(stockOfNamed)];
      groups.push({ country, type: 'Local', prefix: npa, areaName: name, region, ranges });
      for (const nxx of seller.exchanges.slice(0, exchangesPerGroup)) {
        prefixes.push({ country, npa, nxx, region, areaNames: [name] });
      }
      for (const { nxx } of named) prefixes.push({ country, npa, nxx, region, areaNames: [name] });
    }
    const areaNames = stocked.slice(0, shares.length).map(({ place }) => place.name);
    prefixes.push({ country: main.place.country, npa, nxx: nanpFiction.nxx, region: main.place.region, areaNames });
  }
  return { groups: [...groups, ...elsewhere(prefixes)], prefixes };
}

/** An exchange that clients order from by its six digits needs numbers of its own. */
const stockOfNamed = ({ npa, nxx }: { npa: string; nxx: string }): Range => [`1${npa}${nxx}0100`, 50];

/** The islands and the toll-free codes have no region; each area code is one group. */
function elsewhere(prefixes: NanpaPrefix[]): Group[] {
  const local = Object.entries(islands).flatMap(([country, areaName]) =>
    areaCodesOfIsland(country).map((npa) => ({ country, npa, type: 'Local', areaName })),
  );
  const free = tollFree.map((npa) => ({ country: 'US', npa, type: 'Toll-free', areaName: 'Toll-free' }));
  return [...local, ...free].map(({ country, npa, type, areaName }) => {
    prefixes.push({ country, npa, nxx: nanpFiction.nxx, region: null, areaNames: [areaName] });
    return { country, type, prefix: npa, areaName, region: null, ranges: fictionShares(npa, 1)[0] ?? [] };
  });
}

/** The hundred numbers of an area code, in runs for at most five of its cities; the others are sold out. */
function fictionShares(npa: string, sellers: number): Range[][] {
  const runs = Math.min(sellers, 5);
  const size = Math.floor(nanpFiction.count / runs);
  return Array.from({ length: runs }, (_, i) => {
    const first = Number(`1${npa}${nanpFiction.nxx}${nanpFiction.first}`) + i * size;
    return [[String(first), i === runs - 1 ? nanpFiction.count - i * size : size]];
  });
}

/** The largest places of each region, and the largest of every area code that would stay without one. */
function choose(places: Place[]): Place[] {
  const bySize = [...places].sort((a, b) => size(b) - size(a) || (a.name < b.name ? -1 : 1));
  const perRegion = new Map<string, number>();
  const chosen = new Set<Place>();
  for (const place of bySize) {
    const taken = perRegion.get(place.region) ?? 0;
    if (taken >= citiesPerRegion[place.country]) continue;
    perRegion.set(place.region, taken + 1);
    chosen.add(place);
  }
  const covered = new Set([...chosen].flatMap((place) => strongest(place)));
  for (const place of bySize) {
    const missing = [...place.exchanges.keys()].filter((npa) => !covered.has(npa) && strongest(place).includes(npa));
    if (missing.length === 0) continue;
    chosen.add(place);
    for (const npa of strongest(place)) covered.add(npa);
  }
  return [...chosen].map((place) => ({
    ...place,
    exchanges: new Map(strongest(place).map((npa) => [npa, place.exchanges.get(npa) ?? []])),
  }));
}

/** An area code of the US lies in one state; the table has a few exchanges of neighbours under it. */
function withoutStrays(places: Place[]): Place[] {
  const states = new Map<string, Map<string, number>>();
  for (const { region, exchanges } of places) {
    for (const [npa, { length }] of exchanges) {
      const counts = states.get(npa) ?? new Map<string, number>();
      states.set(npa, counts.set(region, (counts.get(region) ?? 0) + length));
    }
  }
  const home = (npa: string) => [...(states.get(npa) ?? [])].sort((a, b) => b[1] - a[1])[0]?.[0];
  return places.map((place) => ({
    ...place,
    exchanges: new Map([...place.exchanges].filter(([npa]) => place.country === 'CA' || home(npa) === place.region)),
  }));
}

function size(place: Place): number {
  return [...place.exchanges.values()].reduce((sum, exchanges) => sum + exchanges.length, 0);
}

function strongest(place: Place): string[] {
  const codes = [...place.exchanges].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  return codes.slice(0, areaCodesPerCity).map(([npa]) => npa);
}

function readPlaces(): Place[] {
  const places = new Map<string, Place>();
  for (const [digits, text] of [...geocodes('1')].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [, spelled, code] = /^([^,/]+), ([A-Z]{2})$/.exec(text.replace('Washington D.C.', 'Washington, DC')) ?? [];
    const name = written[spelled ?? ''] ?? spelled;
    const npa = digits.slice(0, 3);
    const nxx = digits.slice(3);
    if (!name || !code || code === 'VI' || (nxx && !/^(?!\d11$)[2-9]\d\d$/.test(nxx)) || nxx === nanpFiction.nxx)
      continue;
    const country = canadian.has(code) ? 'CA' : 'US';
    const key = `${country}-${code} ${name}`;
    const place = places.get(key) ?? { country, region: `${country}-${code}`, name, exchanges: new Map() };
    places.set(key, place);
    const exchanges = place.exchanges.get(npa) ?? [];
    if (nxx) exchanges.push(nxx);
    place.exchanges.set(npa, exchanges);
  }
  return [...places.values()];
}
