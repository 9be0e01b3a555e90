/**
 * Builds the rows of the demo catalogue from committed data files and rules for offers; the result is the same on every
 * machine.
 */
import { readFileSync } from 'node:fs';
import { channelsOffered, describeOffer, poolRows, pricesOf } from './demo-offers.ts';
import { countryIdOf, groupTypeIdOf, nameBasedId, popIdOf, regionIdOf } from './ids.ts';
import type { CatalogueRows, NumberRange } from './rows.ts';

export interface DemoCatalogue {
  rows: CatalogueRows;
  ranges: NumberRange[];
}

type GroupLine = [
  type: string,
  prefix: string,
  areaName: string,
  region: string | null,
  ranges: [first: string, count: number][],
];
type NanpaLine = [npa: string, nxx: string, region: string | null, areaNames: string[]];

const groupTypes = ['Local', 'National', 'Mobile', 'Toll-free', 'Shared Cost', 'Global'];
const pops = [
  'Amsterdam, Netherlands',
  'Frankfurt, Germany',
  'Hong Kong',
  'London, United Kingdom',
  'Los Angeles, CA, USA',
  'Miami, FL, USA',
  'New York, NY, USA',
  'Singapore',
  'Sydney, Australia',
  'São Paulo, Brazil',
];

export function demoCatalogue(): DemoCatalogue {
  const rows = placeRows();
  const ranges: NumberRange[] = [];
  const exchanges = addNanpaPrefixes(rows);
  for (const [country, lines] of Object.entries(read<Record<string, GroupLine[]>>('groups'))) {
    for (const line of lines) addGroup(rows, ranges, exchanges, country, line);
  }
  linkNanpaPrefixes(rows);
  return { rows, ranges };
}

function placeRows(): CatalogueRows {
  const cityAreas = new Map<string, string>();
  const areas = Object.entries(read<Record<string, Record<string, [string | null, string][]>>>('areas')).flatMap(
    ([country, named]) =>
      Object.entries(named).map(([name, cities]) => {
        const id = nameBasedId('areas', country, name);
        for (const [region, city] of cities) cityAreas.set(nameBasedId('cities', country, region, city), id);
        return { id, country_id: countryIdOf(country), name };
      }),
  );
  const cities = new Map(
    Object.entries(read<Record<string, GroupLine[]>>('groups')).flatMap(([country, lines]) =>
      lines
        .filter(([type]) => type === 'Local')
        .map(([, , name, region]) => {
          const id = nameBasedId('cities', country, region, name);
          const place = {
            country_id: countryIdOf(country),
            region_id: regionId(region),
            area_id: cityAreas.get(id) ?? null,
          };
          return [id, { id, ...place, name }] as const;
        }),
    ),
  );
  return {
    countries: read<[string, string, string | null][]>('countries').map(([iso, name, prefix]) => {
      return { id: countryIdOf(iso), name, prefix, iso };
    }),
    regions: Object.entries(read<Record<string, [string, string][]>>('regions')).flatMap(([country, list]) =>
      list.map(([iso, name]) => ({ id: regionIdOf(iso, name), country_id: countryIdOf(country), name, iso })),
    ),
    areas,
    cities: [...cities.values()],
    pops: pops.map((name) => ({ id: popIdOf(name), name })),
    did_group_types: groupTypes.map((name) => ({ id: groupTypeIdOf(name), name })),
    did_groups: [],
    stock_keeping_units: [],
    nanpa_prefixes: [],
    did_group_nanpa_prefixes: [],
    ...poolRows(soldIn().map((iso) => ({ id: countryIdOf(iso), iso }))),
  };
}

/** Countries with number groups. */
const soldIn = (): string[] => Object.keys(read<Record<string, GroupLine[]>>('groups'));

/** Returns a map from the first seven digits of a North American number to its prefix id. */
function addNanpaPrefixes(rows: CatalogueRows): Map<string, string> {
  const byDigits = new Map<string, string>();
  for (const [country, lines] of Object.entries(read<Record<string, NanpaLine[]>>('nanpa'))) {
    for (const [npa, nxx, region] of lines) {
      const id = nameBasedId('nanpa_prefixes', npa, nxx);
      rows.nanpa_prefixes.push({ id, country_id: countryIdOf(country), region_id: regionId(region), npa, nxx });
      byDigits.set(`1${npa}${nxx}`, id);
    }
  }
  return byDigits;
}

function addGroup(
  rows: CatalogueRows,
  ranges: NumberRange[],
  exchanges: Map<string, string>,
  country: string,
  [type, prefix, areaName, region, stock]: GroupLine,
): void {
  const id = groupId(country, type, prefix, region, areaName);
  const group = { country, type, prefix, areaName, inStock: stock.length > 0 };
  rows.did_groups.push({
    id,
    country_id: countryIdOf(country),
    region_id: regionId(region),
    city_id: type === 'Local' ? nameBasedId('cities', country, region, areaName) : null,
    did_group_type_id: groupTypeIdOf(type),
    prefix,
    area_name: areaName,
    ...describeOffer(group),
  });
  for (const channels of channelsOffered) {
    const price = pricesOf(group, channels);
    const sku = { id: nameBasedId('stock_keeping_units', id, String(channels)), did_group_id: id };
    rows.stock_keeping_units.push({ ...sku, ...price, channels_included_count: channels });
  }
  for (const [first, count] of stock) {
    ranges.push({ first, count, did_group_id: id, nanpa_prefix_id: exchanges.get(first.slice(0, 7)) ?? null });
  }
}

function linkNanpaPrefixes(rows: CatalogueRows): void {
  const groups = new Map(
    rows.did_groups.map((group) => [`${group.country_id} ${group.prefix} ${group.area_name}`, group]),
  );
  for (const [country, lines] of Object.entries(read<Record<string, NanpaLine[]>>('nanpa'))) {
    for (const [npa, nxx, , areaNames] of lines) {
      for (const areaName of areaNames) {
        const group = groups.get(`${countryIdOf(country)} ${npa} ${areaName}`);
        if (!group) throw new Error(`demo data: no group ${areaName} (${npa}) in ${country}`);
        rows.did_group_nanpa_prefixes.push({
          did_group_id: group.id,
          nanpa_prefix_id: nameBasedId('nanpa_prefixes', npa, nxx),
        });
      }
    }
  }
}

const regionNames = new Map(Object.values(read<Record<string, [string, string][]>>('regions')).flat());

const regionId = (iso: string | null): string | null =>
  iso === null ? null : regionIdOf(iso, regionNames.get(iso) ?? '');

function groupId(
  ...key: [country: string, type: string, prefix: string, region: string | null, areaName: string]
): string {
  return nameBasedId('did_groups', ...key);
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`./demo/${name}.json`, import.meta.url), 'utf8'));
}
