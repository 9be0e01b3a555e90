/**
 * A catalogue that fits on a page: small enough that a test can say exactly what a response holds. Tests write
 * countries, groups, offers and stock with the functions of this file only.
 */
import { createHash } from 'node:crypto';
import type { Pool } from 'pg';

/** The id of a record by its type and short name: `idOf('countries', 'GB')`. The same in every run. */
export function idOf(type: string, name: string): string {
  const hex = createHash('sha1').update(`${type}/${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Cities of Germany beyond Berlin, enough for several pages. */
export const towns = Array.from({ length: 120 }, (_, index) => `Town ${String(index + 1).padStart(3, '0')}`);

const countries = {
  DE: { name: 'Germany', prefix: '49' },
  GB: { name: 'United Kingdom', prefix: '44' },
  US: { name: 'United States', prefix: '1' },
  AQ: { name: 'Antarctica', prefix: null },
};

export interface SmallGroup {
  country: keyof typeof countries;
  /** Regions and cities exist only after `loadPlaces`. */
  region?: string;
  city?: string;
  type?: 'Local' | 'Mobile';
  prefix?: string;
  area_name?: string;
  features: readonly string[];
  is_metered?: boolean;
  allow_additional_channels?: boolean;
  service_restrictions?: string;
  available_dids_enabled?: boolean;
  needs_registration?: boolean;
  back_orderable?: boolean;
  /** NPA-NXX under which it sells. */
  nanpaPrefixes?: readonly string[];
  offers: readonly Offer[];
}

interface Offer {
  /** `idOf('stock_keeping_units', name)` is its id. */
  name: string;
  setup: number;
  monthly: number;
  channels: number;
}

const offersOf = (group: string): Offer[] => [
  { name: `${group} 0`, setup: 0, monthly: 0.25, channels: 0 },
  { name: `${group} 2`, setup: 0, monthly: 0.8, channels: 2 },
];

/** What `loadSmallCatalogue` sells. */
export const smallGroups: Readonly<Record<string, SmallGroup>> = {
  London: {
    country: 'GB',
    region: 'England',
    city: 'London',
    prefix: '20',
    features: ['voice_in', 'voice_out', 't38'],
    offers: offersOf('London'),
  },
  Berlin: {
    country: 'DE',
    city: 'Berlin',
    prefix: '30',
    features: ['voice_in', 'sms_in', 'p2p'],
    is_metered: true,
    service_restrictions: 'Local address needed',
    needs_registration: true,
    back_orderable: false,
    offers: offersOf('Berlin'),
  },
  'UK mobile': {
    country: 'GB',
    type: 'Mobile',
    prefix: '7',
    area_name: 'Mobile',
    features: ['voice_in'],
    back_orderable: false,
    offers: offersOf('UK mobile'),
  },
  'New York': {
    country: 'US',
    region: 'New York',
    city: 'New York',
    prefix: '212',
    features: ['voice_in', 'voice_out', 'emergency'],
    nanpaPrefixes: ['212555', '212556'],
    offers: offersOf('New York'),
  },
  Hidden: {
    country: 'GB',
    prefix: '113',
    area_name: 'Leeds',
    features: ['voice_in'],
    available_dids_enabled: false,
    offers: offersOf('Hidden'),
  },
};

/** Places, groups with their offers, and a few numbers of most groups. */
export async function loadSmallCatalogue({ pool }: { pool: Pool }): Promise<void> {
  await loadPlaces(pool);
  await loadGroups(pool, smallGroups);
  await stockNumbers(pool, 'London', ['442037691880', '442037691881', '442037692000']);
  await stockNumbers(pool, 'Berlin', ['493012345678']);
  await stockNumbers(pool, 'New York', ['12125550123', '12125550124', '12125560100']);
  await stockNumbers(pool, 'Hidden', ['441131230000']);
}

const idsOf = (type: string, names: readonly string[]) => names.map((name) => ({ id: idOf(type, name), name }));
const countryId = (iso: string) => idOf('countries', iso);
const orNull = (type: string, name: string | undefined) => (name === undefined ? null : idOf(type, name));

async function loadCountries(pool: Pool): Promise<void> {
  const rows = Object.entries(countries).map(([iso, country]) => ({ id: countryId(iso), ...country, iso }));
  await insert(pool, 'countries', rows, true);
}

/** Countries, regions, areas, cities and points of presence. */
export async function loadPlaces(pool: Pool): Promise<void> {
  await loadCountries(pool);
  const region = (name: string, country: string, iso: string | null) => ({
    id: idOf('regions', name),
    country_id: countryId(country),
    name,
    iso,
  });
  await insert(pool, 'regions', [
    region('California', 'US', 'US-CA'),
    region('New York', 'US', 'US-NY'),
    region('England', 'GB', null),
  ]);
  const area = 'Greater London';
  await insert(pool, 'areas', [{ id: idOf('areas', area), country_id: countryId('GB'), name: area }]);
  const city = (name: string, country: string, regionName?: string, areaName?: string) => ({
    id: idOf('cities', name),
    country_id: countryId(country),
    region_id: orNull('regions', regionName),
    area_id: orNull('areas', areaName),
    name,
  });
  await insert(pool, 'cities', [
    city('London', 'GB', 'England', area),
    city('Berlin', 'DE'),
    city('New York', 'US', 'New York'),
    ...towns.map((name) => city(name, 'DE')),
  ]);
  await insert(pool, 'pops', idsOf('pops', ['Frankfurt', 'New York']));
  const prefix = (digits: string, regionName: string) => ({
    ...nanpaPrefix(digits),
    region_id: idOf('regions', regionName),
  });
  await insert(pool, 'nanpa_prefixes', [
    prefix('212555', 'New York'),
    prefix('212556', 'New York'),
    prefix('415555', 'California'),
  ]);
}

const nanpaPrefix = (digits: string) => ({
  id: idOf('nanpa_prefixes', digits),
  country_id: countryId('US'),
  region_id: null as string | null,
  npa: digits.slice(0, 3),
  nxx: digits.slice(3),
});

/** Groups under their names, with their offers, countries, types and prefixes. */
export async function loadGroups(pool: Pool, groups: Readonly<Record<string, SmallGroup>>): Promise<void> {
  await loadCountries(pool);
  await insert(pool, 'did_group_types', idsOf('did_group_types', ['Local', 'Mobile']), true);
  const named = Object.entries(groups);
  const rows = named.map(([name, group]) => ({
    id: idOf('did_groups', name),
    country_id: countryId(group.country),
    region_id: orNull('regions', group.region),
    city_id: orNull('cities', group.city),
    did_group_type_id: idOf('did_group_types', group.type ?? 'Local'),
    prefix: group.prefix ?? '20',
    area_name: group.area_name ?? name,
    features: group.features,
    is_metered: group.is_metered ?? false,
    allow_additional_channels: group.allow_additional_channels ?? true,
    service_restrictions: group.service_restrictions ?? null,
    available_dids_enabled: group.available_dids_enabled ?? true,
    needs_registration: group.needs_registration ?? false,
    back_orderable: group.back_orderable ?? true,
  }));
  await insert(pool, 'did_groups', rows);
  const offers = named.flatMap(([name, group]) =>
    group.offers.map((offer) => ({
      id: idOf('stock_keeping_units', offer.name),
      did_group_id: idOf('did_groups', name),
      setup_price: offer.setup,
      monthly_price: offer.monthly,
      channels_included_count: offer.channels,
    })),
  );
  await insert(pool, 'stock_keeping_units', offers);
  const links = named.flatMap(([name, { nanpaPrefixes = [] }]) => nanpaPrefixes.map((digits) => ({ name, digits })));
  await insert(
    pool,
    'nanpa_prefixes',
    links.map(({ digits }) => nanpaPrefix(digits)),
    true,
  );
  await insert(
    pool,
    'did_group_nanpa_prefixes',
    links.map(({ name, digits }) => ({
      did_group_id: idOf('did_groups', name),
      nanpa_prefix_id: idOf('nanpa_prefixes', digits),
    })),
  );
}

/** Puts numbers of a group on sale; numbers of country code 1 under the prefix they begin with. */
export async function stockNumbers(pool: Pool, group: string, numbers: readonly string[]): Promise<void> {
  const rows = numbers.map((number) => ({
    id: idOf('available_dids', number),
    number,
    did_group_id: idOf('did_groups', group),
    nanpa_prefix_id: number.startsWith('1') ? idOf('nanpa_prefixes', number.slice(1, 7)) : null,
  }));
  await insert(pool, 'available_dids', rows);
}

export interface PoolTerms {
  name: string;
  minimum_limit: number;
  minimum_qty_per_order: number;
  setup_price: number;
  monthly_price: number;
  metered_rate: number;
}

/** A kind of channel pool: every account gets one. */
export async function loadPoolTemplate(pool: Pool, terms: PoolTerms): Promise<string> {
  const id = idOf('capacity_pool_templates', terms.name);
  await insert(pool, 'capacity_pool_templates', [{ id, ...terms }]);
  return id;
}

/** Inserts rows; all have the columns of the first. */
export async function insert(pool: Pool, table: string, rows: readonly object[], ifAbsent = false): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  if (columns === '') return;
  await pool.query(
    `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)
     ${ifAbsent ? 'on conflict do nothing' : ''}`,
    [JSON.stringify(rows)],
  );
}
