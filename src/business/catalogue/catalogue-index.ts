/** Finds the entries that a record refers to, among the database's and those that the import has read so far. */
import { type Kysely, type SqlBool, sql } from 'kysely';
import { FieldError } from '../../base/fields.ts';
import { inSlices } from '../../base/slices.ts';
import type { Schema } from '../../engines/db/schema.ts';

export interface CountryEntry {
  id: string;
  iso: string;
  prefix: string | null;
}
export interface PlaceEntry {
  id: string;
  country_id: string;
  region_id?: string | null;
}
export interface GroupEntry extends PlaceEntry {
  type: string;
  prefix: string;
  area_name: string;
  /** Some of its numbers are in stock or earlier in the file, so its dialling prefix cannot change. */
  has_stock: boolean;
}
interface SkuEntry {
  id: string;
  did_group_id: string;
  channels_included_count: number;
}
interface NanpaEntry {
  id: string;
  npa: string;
  nxx: string;
}

/** The natural key of an offer: a group has one offer for each number of channels. */
export function skuKey(groupId: string, channels: number): string {
  return `of group ${groupId} with ${channels} channels`;
}

export class CatalogueIndex {
  readonly countries = new Entries<CountryEntry>('country', (country) => country.iso);
  readonly regions = new Entries<PlaceEntry & { iso: string | null }>('region', (region) => region.iso);
  readonly areas = new Entries<PlaceEntry>('area', () => null);
  readonly cities = new Entries<PlaceEntry>('city', () => null);
  readonly types = new Entries<{ id: string; name: string }>('number group type', (type) => type.name);
  readonly groups = new Entries<GroupEntry>('number group', () => null);
  readonly skus = new Entries<SkuEntry>('offer', (sku) => skuKey(sku.did_group_id, sku.channels_included_count));
  readonly nanpa = new Entries<NanpaEntry>('NANPA prefix', ({ npa, nxx }) => `${npa}${nxx}`);
  readonly #groupsByKey = new Map<string, GroupEntry[]>();

  /** With `countries` only what lies in them: a seed names few, and a catalogue has tens of thousands of rows. */
  static async read(db: Kysely<Schema>, countries?: readonly string[]): Promise<CatalogueIndex> {
    const index = new CatalogueIndex();
    // Beside the requests of others.
    const add = <T extends { id: string }>(entries: Entries<T>, rows: readonly T[]) =>
      inSlices(rows, (row) => entries.add(row));
    await add(index.countries, await db.selectFrom('countries').select(['id', 'iso', 'prefix']).execute());
    await add(index.types, await db.selectFrom('did_group_types').select(['id', 'name']).execute());
    const wanted = countries?.map((iso) => index.countries.byKey(iso)?.id ?? '').filter((id) => id !== '');
    const inCountries = (column: string) =>
      wanted === undefined ? sql<SqlBool>`true` : sql<SqlBool>`${sql.ref(column)} = any(${wanted}::uuid[])`;
    const here = inCountries('country_id');
    const { regions, areas, cities, nanpa } = {
      regions: db.selectFrom('regions').select(['id', 'country_id', 'iso']).where(here),
      areas: db.selectFrom('areas').select(['id', 'country_id']).where(here),
      cities: db.selectFrom('cities').select(['id', 'country_id', 'region_id']).where(here),
      nanpa: db.selectFrom('nanpa_prefixes').select(['id', 'npa', 'nxx']).where(here),
    };
    await add(index.regions, await regions.execute());
    await add(index.areas, await areas.execute());
    await add(index.cities, await cities.execute());
    await add(index.nanpa, await nanpa.execute());
    const offers = await db
      .selectFrom('stock_keeping_units as s')
      .innerJoin('did_groups as g', 'g.id', 's.did_group_id')
      .select(['s.id', 's.did_group_id', 's.channels_included_count'])
      .where(inCountries('g.country_id'))
      .execute();
    await add(index.skus, offers);
    const groups = await sql<GroupEntry>`
      select g.id, g.country_id, g.region_id, t.name as type, g.prefix, g.area_name,
             exists (select from stock_blocks b where b.did_group_id = g.id and b.available > 0) as has_stock
      from did_groups g join did_group_types t on t.id = g.did_group_type_id
      where ${inCountries('g.country_id')}`.execute(db);
    await inSlices(groups.rows, (row) => index.addGroup(row));
    return index;
  }

  addGroup(group: GroupEntry): void {
    const known = this.groups.get(group.id);
    if (known) this.#forget(known);
    this.groups.add(group);
    for (const key of this.#keysOf(group)) this.#groupsByKey.set(key, [...(this.#groupsByKey.get(key) ?? []), group]);
  }

  hasStockIn(countryId: string): boolean {
    return this.groups.some((group) => group.has_stock && group.country_id === countryId);
  }

  /** Finds a group by its natural key; the area name may be left out if the rest identifies one group. */
  groupByKey(country: string, type: string, prefix: string, areaName: string | null): GroupEntry {
    const named = [country, type, prefix, areaName].filter((part) => part !== null).join(' ');
    const [group, other] = this.#groupsByKey.get(named) ?? [];
    if (!group) throw new FieldError(`there is no number group ${named}`);
    if (other)
      throw new FieldError(
        `several number groups are called ${named}; ${areaName ? 'use did_group_id' : 'add area_name'}`,
      );
    return group;
  }

  #forget(group: GroupEntry): void {
    for (const key of this.#keysOf(group)) {
      this.#groupsByKey.set(
        key,
        (this.#groupsByKey.get(key) ?? []).filter(({ id }) => id !== group.id),
      );
    }
  }

  #keysOf({ country_id, type, prefix, area_name }: GroupEntry): string[] {
    const start = `${this.countries.get(country_id)?.iso} ${type} ${prefix}`;
    return [start, `${start} ${area_name}`];
  }
}

/** Entries of one kind, by id and by natural key if they have one. */
class Entries<T extends { id: string }> {
  readonly #byId = new Map<string, T>();
  readonly #byKey = new Map<string, T>();
  readonly #kind: string;
  readonly #keyOf: (entry: T) => string | null;

  constructor(kind: string, keyOf: (entry: T) => string | null) {
    this.#kind = kind;
    this.#keyOf = keyOf;
  }

  get(id: string): T | undefined {
    return this.#byId.get(id);
  }

  some(test: (entry: T) => boolean): boolean {
    return [...this.#byId.values()].some(test);
  }

  byKey(key: string): T | undefined {
    return this.#byKey.get(key);
  }

  /** Finds an entry by the id or natural key that a record contains. */
  find(reference: unknown): T {
    const found = typeof reference === 'string' ? (this.#byId.get(reference) ?? this.#byKey.get(reference)) : undefined;
    if (!found) throw new FieldError(`there is no ${this.#kind} ${JSON.stringify(reference) ?? ''}`.trimEnd());
    return found;
  }

  add(entry: T): void {
    const key = this.#keyOf(entry);
    const owner = key === null ? undefined : this.#byKey.get(key);
    if (owner && owner.id !== entry.id) throw new FieldError(`the ${this.#kind} ${key} has another id, ${owner.id}`);
    this.#byId.set(entry.id, entry);
    if (key !== null) this.#byKey.set(key, entry);
  }
}
