/** The demo catalogue is complete and agrees with numbering plans. */
import { readFileSync } from 'node:fs';
import { isPossiblePhoneNumber, isValidPhoneNumber } from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import { reservedRanges } from '../../../scripts/catalogue/reserved-ranges.ts';
import { demoCatalogue } from './demo.ts';
import { dialPrefix } from './rows.ts';

interface ReferenceIds {
  countries: Record<string, string>;
  did_group_types: Record<string, string>;
  pops: Record<string, string>;
  regions_of_US_and_Canada_by_name: Record<string, string>;
}

/** The contract's own file. */
const file = new URL('./demo/reference-ids.json', import.meta.url);
const reference: ReferenceIds = JSON.parse(readFileSync(file, 'utf8'));

const { rows, ranges } = demoCatalogue();
const countries = new Map(rows.countries.map((country) => [country.id, country]));
const regions = new Map(rows.regions.map((region) => [region.id, region]));
const areas = new Map(rows.areas.map((area) => [area.id, area]));
const cities = new Map(rows.cities.map((city) => [city.id, city]));
const groups = new Map(rows.did_groups.map((group) => [group.id, group]));
const types = new Map(rows.did_group_types.map((type) => [type.id, type.name]));
const prefixes = new Map(rows.nanpa_prefixes.map((prefix) => [prefix.id, prefix]));
const country = (iso: string) => rows.countries.find((row) => row.iso === iso);
const typeOf = (group: { did_group_type_id: string }) => types.get(group.did_group_type_id);

describe('the demo catalogue', () => {
  test('is as large as promised', () => {
    expect(rows.countries.length).toBeGreaterThanOrEqual(249);
    expect(new Set(rows.did_groups.map((group) => group.country_id)).size).toBeGreaterThanOrEqual(60);
    expect(rows.cities.length).toBeGreaterThanOrEqual(1500);
    expect(rows.nanpa_prefixes.length).toBeGreaterThanOrEqual(400);
    expect(ranges.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(50_000);
  });

  test('has the same ids on every machine', () => {
    expect(rows.did_groups.find((group) => group.area_name === 'London' && group.prefix === '20')?.id).toBe(
      '5916a5d7-9cdb-5ec6-b443-0d37a6be9152',
    );
    const everyId = [rows.countries, rows.regions, rows.cities, rows.did_groups, rows.stock_keeping_units].flat();
    for (const { id } of everyId)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[45][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(everyId.map(({ id }) => id)).size).toBe(everyId.length);
  });

  test('has the ids of the reference service for everything that both have', () => {
    const idsBy = <T extends { id: string }>(list: readonly T[], key: (row: T) => string) =>
      Object.fromEntries(list.map((row) => [key(row), row.id]));
    const { countries: isoIds, did_group_types: typeIds, pops: popIds } = reference;
    const absent = ['00', 'TP', 'WX', 'WY', 'WZ'];
    const known = Object.fromEntries(Object.entries(isoIds).filter(([iso]) => !absent.includes(iso)));
    expect(idsBy(rows.countries, ({ iso }) => iso ?? '')).toMatchObject(known);
    expect(idsBy(rows.did_group_types, ({ name }) => name)).toEqual(typeIds);
    expect(idsBy(rows.pops, ({ name }) => name)).toMatchObject(popIds);
    const named = idsBy(
      rows.regions.filter(({ iso }) => /^(US|CA)-/.test(iso ?? '')),
      ({ name }) => (name === 'District of Columbia' ? 'Washington DC' : name).toLowerCase(),
    );
    for (const [name, id] of Object.entries(reference.regions_of_US_and_Canada_by_name)) {
      expect([name, named[name.toLowerCase()]]).toEqual([name, id]);
    }
  });

  test('sells what examples of existing clients look for', () => {
    const exchange = rows.nanpa_prefixes.find(({ npa, nxx }) => npa === '201' && nxx === '221');
    expect(regions.get(exchange?.region_id ?? '')?.iso).toBe('US-NJ');
    expect(rows.did_group_nanpa_prefixes.some(({ nanpa_prefix_id }) => nanpa_prefix_id === exchange?.id)).toBe(true);
    const manhattan = rows.nanpa_prefixes.find(({ npa, nxx }) => npa === '212' && nxx === '461');
    expect(ranges.filter(({ nanpa_prefix_id }) => nanpa_prefix_id === manhattan?.id)).toMatchObject([{ count: 50 }]);
    const hills = rows.did_groups.find(({ area_name }) => area_name === 'Beverly Hills');
    expect(hills?.prefix).toBe('310');
    expect(ranges.filter(({ did_group_id }) => did_group_id === hills?.id)).toMatchObject([{ count: 34 }]);
  });

  test('knows dialling codes, also of islands and of none', () => {
    expect(country('GB')).toMatchObject({ name: 'United Kingdom', prefix: '44' });
    expect(country('AS')).toMatchObject({ name: 'American Samoa', prefix: '1684' });
    expect(country('AQ')).toMatchObject({ name: 'Antarctica', prefix: null });
    expect(rows.regions).toContainEqual(expect.objectContaining({ name: 'California', iso: 'US-CA' }));
  });

  test('keeps every place in its country and region', () => {
    for (const region of rows.regions) expect(region.iso?.slice(0, 2)).toBe(countries.get(region.country_id)?.iso);
    for (const city of rows.cities) {
      if (city.region_id) expect(regions.get(city.region_id)?.country_id).toBe(city.country_id);
      if (city.area_id) expect(areas.get(city.area_id)?.country_id).toBe(city.country_id);
    }
    expect(rows.cities.some((city) => city.area_id)).toBe(true);
    for (const group of rows.did_groups) {
      if (group.region_id) expect(regions.get(group.region_id)?.country_id).toBe(group.country_id);
      const city = group.city_id ? cities.get(group.city_id) : undefined;
      if (city)
        expect({ ...group }).toMatchObject({
          country_id: city.country_id,
          region_id: city.region_id,
          area_name: city.name,
        });
    }
  });

  test('spells names as people do', () => {
    const names = [rows.countries, rows.regions, rows.areas, rows.cities].flat().map(({ name }) => name);
    for (const name of names) {
      expect(name).toBe(name.normalize('NFC').trim());
      expect(name).toMatch(/^[\p{Lu}'][\p{L}\p{M}.' ()-]*$/u);
      expect(name).not.toMatch(/ {2}|^[A-Z]{4,}$/);
    }
  });

  test('has every type, and groups with and without each property', () => {
    expect(new Set(rows.did_groups.map(typeOf))).toEqual(
      new Set(['Local', 'National', 'Mobile', 'Toll-free', 'Shared Cost', 'Global']),
    );
    const stocked = new Set(ranges.map((range) => range.did_group_id));
    const properties: ((group: (typeof rows.did_groups)[number]) => unknown)[] = [
      (group) => group.available_dids_enabled,
      (group) => group.needs_registration,
      (group) => group.is_metered,
      (group) => group.allow_additional_channels,
      (group) => group.features.includes('emergency'),
      (group) => group.service_restrictions !== null,
      (group) => stocked.has(group.id),
      (group) => !stocked.has(group.id) && group.back_orderable,
      (group) => !stocked.has(group.id) && !group.back_orderable,
    ];
    for (const has of properties) {
      expect(rows.did_groups.some(has)).toBe(true);
      expect(rows.did_groups.every(has)).toBe(false);
    }
  });

  test('offers every group with 0 and with 2 channels, at prices in cents', () => {
    const offers = Map.groupBy(rows.stock_keeping_units, (sku) => sku.did_group_id);
    expect(offers.size).toBe(rows.did_groups.length);
    for (const [id, skus] of offers) {
      expect(groups.has(id)).toBe(true);
      expect(skus.map((sku) => sku.channels_included_count).sort()).toEqual([0, 2]);
      for (const { setup_price, monthly_price } of skus) {
        expect(setup_price).toMatch(/^\d+\.\d\d$/);
        expect(Number(monthly_price)).toBeGreaterThan(0);
      }
    }
  });
});

describe('NANPA prefixes', () => {
  test('are valid and lie in the region of the groups that sell them', () => {
    for (const { npa, nxx, country_id, region_id } of rows.nanpa_prefixes) {
      expect(npa).toMatch(/^[2-9]\d\d$/);
      expect(nxx).toMatch(/^(?!\d11$)[2-9]\d{2}$/);
      expect(countries.get(country_id)?.prefix).toMatch(/^1/);
      if (region_id) expect(regions.get(region_id)?.country_id).toBe(country_id);
    }
    for (const { did_group_id, nanpa_prefix_id } of rows.did_group_nanpa_prefixes) {
      const group = groups.get(did_group_id);
      const prefix = prefixes.get(nanpa_prefix_id);
      expect(prefix?.npa).toBe(group?.prefix);
      expect(prefix?.region_id).toBe(group?.region_id);
    }
    const states = new Set(rows.nanpa_prefixes.map(({ region_id }) => regions.get(region_id ?? '')?.iso));
    expect([...states].filter((iso) => iso?.startsWith('US-')).length).toBe(51);
    expect([...states].filter((iso) => iso?.startsWith('CA-')).length).toBe(13);
  });

  test('put area codes where they belong', () => {
    const stateOf = (npa: string) =>
      regions.get(rows.nanpa_prefixes.find((prefix) => prefix.npa === npa)?.region_id ?? '')?.iso;
    expect(['212', '213', '312', '305', '416', '604', '514'].map(stateOf)).toEqual([
      'US-NY',
      'US-CA',
      'US-IL',
      'US-FL',
      'CA-ON',
      'CA-BC',
      'CA-QC',
    ]);
  });
});

describe('numbers', () => {
  test('begin as their group says and are valid in their country, unless reserved for fiction', () => {
    const reserved = Object.values(reservedRanges).flatMap((byPrefix) => Object.values(byPrefix).flat());
    const isReserved = (number: string) =>
      /^1\d{3}55501\d\d$/.test(number) ||
      reserved.some(
        ({ first, count }) =>
          number.length === first.length && Number(number) - Number(first) < count && number >= first,
      );
    for (const { first, count, did_group_id } of ranges) {
      const group = groups.get(did_group_id);
      const start = dialPrefix(countries.get(group?.country_id ?? '')?.prefix ?? '', group?.prefix ?? '?');
      for (const number of [first, String(Number(first) + count - 1)]) {
        // The whole thousand is the group's, which is restocked from it in a sandbox.
        expect(number.slice(0, -3).startsWith(start), `${number} in ${start}`).toBe(true);
        expect(isPossiblePhoneNumber(`+${number}`), number).toBe(true);
        expect(isReserved(number) || isValidPhoneNumber(`+${number}`), number).toBe(true);
      }
    }
  });

  test('of North America are 555-01XX, or of an exchange that clients name, and carry their NPA-NXX', () => {
    const american = ranges.filter(({ did_group_id }) =>
      countries.get(groups.get(did_group_id)?.country_id ?? '')?.prefix?.startsWith('1'),
    );
    expect(american.length).toBeGreaterThan(300);
    for (const { first, count, nanpa_prefix_id } of american) {
      expect(first).toMatch(/^1(\d{3}555|201221|212461)01\d\d$/);
      expect(Number(first.slice(-2)) + count).toBeLessThanOrEqual(100);
      const prefix = prefixes.get(nanpa_prefix_id ?? '');
      expect(`${prefix?.npa}${prefix?.nxx}`).toBe(first.slice(1, 7));
    }
    expect(ranges.filter((range) => !american.includes(range)).every((range) => range.nanpa_prefix_id === null)).toBe(
      true,
    );
  });

  test('are in one range only, each inside one thousands-block', () => {
    const sorted = ranges
      .map(({ first, count }) => [Number(first), Number(first) + count - 1] as const)
      .sort((a, b) => a[0] - b[0]);
    sorted.forEach(([from, to], i) => {
      expect(Math.floor(from / 1000)).toBe(Math.floor(to / 1000));
      expect(from).toBeGreaterThan(sorted[i - 1]?.[1] ?? 0);
    });
  });
});
