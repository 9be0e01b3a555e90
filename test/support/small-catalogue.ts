/** A catalogue that fits on a page: small enough that a test can say exactly what an answer holds. */
import { createHash } from 'node:crypto';
import type { Environment } from '../../src/environment.ts';

/** The id of a record by its type and short name: `idOf('countries', 'GB')`. The same in every run. */
export function idOf(type: string, name: string): string {
  const hex = createHash('sha1').update(`${type}/${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Cities of Germany beyond Berlin, enough for several pages. */
export const TOWNS = Array.from({ length: 120 }, (_, index) => `Town ${String(index + 1).padStart(3, '0')}`);

const country = (name: string) => idOf('countries', name);
const region = (name: string | null) => (name === null ? null : idOf('regions', name));
const group = (name: string) => idOf('did_groups', name);

export async function loadSmallCatalogue(env: Environment): Promise<void> {
  await insert(
    env,
    'countries',
    ['id', 'name', 'prefix', 'iso'],
    [
      [country('DE'), 'Germany', '49', 'DE'],
      [country('GB'), 'United Kingdom', '44', 'GB'],
      [country('US'), 'United States', '1', 'US'],
      [country('AQ'), 'Antarctica', null, 'AQ'],
    ],
  );
  await insert(
    env,
    'regions',
    ['id', 'country_id', 'name', 'iso'],
    [
      [region('California'), country('US'), 'California', 'US-CA'],
      [region('New York'), country('US'), 'New York', 'US-NY'],
      [region('England'), country('GB'), 'England', null],
    ],
  );
  await insert(
    env,
    'areas',
    ['id', 'country_id', 'name'],
    [[idOf('areas', 'Greater London'), country('GB'), 'Greater London']],
  );
  await insert(
    env,
    'cities',
    ['id', 'country_id', 'region_id', 'area_id', 'name'],
    [
      [idOf('cities', 'London'), country('GB'), region('England'), idOf('areas', 'Greater London'), 'London'],
      [idOf('cities', 'Berlin'), country('DE'), null, null, 'Berlin'],
      [idOf('cities', 'New York'), country('US'), region('New York'), null, 'New York'],
      ...TOWNS.map((name) => [idOf('cities', name), country('DE'), null, null, name]),
    ],
  );
  await insert(
    env,
    'pops',
    ['id', 'name'],
    ['Frankfurt', 'New York'].map((name) => [idOf('pops', name), name]),
  );
  await insert(
    env,
    'did_group_types',
    ['id', 'name'],
    ['Local', 'Mobile'].map((name) => [idOf('did_group_types', name), name]),
  );
  await insertGroups(env);
  await insertNumbers(env);
}

async function insertGroups(env: Environment): Promise<void> {
  const columns = ['id', 'country_id', 'region_id', 'city_id', 'did_group_type_id', 'prefix', 'area_name', 'features'];
  const flags = [
    'is_metered',
    'service_restrictions',
    'available_dids_enabled',
    'needs_registration',
    'back_orderable',
  ];
  const local = idOf('did_group_types', 'Local');
  await insert(
    env,
    'did_groups',
    [...columns, ...flags],
    [
      [
        group('London'),
        country('GB'),
        region('England'),
        idOf('cities', 'London'),
        local,
        '20',
        'London',
        ['voice_in', 'voice_out', 't38'],
        false,
        null,
        true,
        false,
        true,
      ],
      [
        group('Berlin'),
        country('DE'),
        null,
        idOf('cities', 'Berlin'),
        local,
        '30',
        'Berlin',
        ['voice_in', 'sms_in', 'p2p'],
        true,
        'Local address needed',
        true,
        true,
        false,
      ],
      [
        group('UK mobile'),
        country('GB'),
        null,
        null,
        idOf('did_group_types', 'Mobile'),
        '7',
        'Mobile',
        ['voice_in'],
        false,
        null,
        true,
        false,
        false,
      ],
      [
        group('New York'),
        country('US'),
        region('New York'),
        idOf('cities', 'New York'),
        local,
        '212',
        'New York',
        ['voice_in', 'voice_out', 'emergency'],
        false,
        null,
        true,
        false,
        true,
      ],
      [
        group('Hidden'),
        country('GB'),
        null,
        null,
        local,
        '113',
        'Leeds',
        ['voice_in'],
        false,
        null,
        false,
        false,
        true,
      ],
    ],
  );
  const skus = ['London', 'Berlin', 'UK mobile', 'New York', 'Hidden'].flatMap((name) =>
    [0, 2].map((channels) => [
      idOf('stock_keeping_units', `${name} ${channels}`),
      group(name),
      '0',
      channels ? '0.8' : '0.25',
      channels,
    ]),
  );
  await insert(
    env,
    'stock_keeping_units',
    ['id', 'did_group_id', 'setup_price', 'monthly_price', 'channels_included_count'],
    skus,
  );
}

/** Numbers of each group, in order. */
export const NUMBERS: Readonly<Record<string, readonly string[]>> = {
  London: ['442037691880', '442037691881', '442037692000'],
  Berlin: ['493012345678'],
  'New York': ['12125550123', '12125550124', '12125560100'],
  Hidden: ['441131230000'],
};

async function insertNumbers(env: Environment): Promise<void> {
  const us = country('US');
  await insert(
    env,
    'nanpa_prefixes',
    ['id', 'country_id', 'region_id', 'npa', 'nxx'],
    [
      [idOf('nanpa_prefixes', '212555'), us, region('New York'), '212', '555'],
      [idOf('nanpa_prefixes', '212556'), us, region('New York'), '212', '556'],
      [idOf('nanpa_prefixes', '415555'), us, region('California'), '415', '555'],
    ],
  );
  const links = ['212555', '212556'].map((prefix) => [group('New York'), idOf('nanpa_prefixes', prefix)]);
  await insert(env, 'did_group_nanpa_prefixes', ['did_group_id', 'nanpa_prefix_id'], links);
  const rows = Object.entries(NUMBERS).flatMap(([name, numbers]) =>
    numbers.map((number) => [
      idOf('available_dids', number),
      number,
      group(name),
      number.startsWith('1') ? idOf('nanpa_prefixes', number.slice(1, 7)) : null,
    ]),
  );
  await insert(env, 'available_dids', ['id', 'number', 'did_group_id', 'nanpa_prefix_id'], rows);
}

async function insert(
  env: Environment,
  table: string,
  columns: readonly string[],
  rows: readonly unknown[][],
): Promise<void> {
  const values = rows.flat();
  const places = rows.map((row, index) => `(${row.map((_, at) => `$${index * row.length + at + 1}`).join(', ')})`);
  await env.pool.query(`insert into ${table} (${columns.join(', ')}) values ${places.join(', ')}`, values);
}
