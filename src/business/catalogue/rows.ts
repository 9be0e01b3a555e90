/** What the parts of the catalogue share: its tables in insertable order, fields of its records, dial prefixes. */
import type { Insertable } from 'kysely';
import { decimal, integer, text } from '../../base/fields.ts';
import type { Schema } from '../../engines/db/schema.ts';

export const catalogueTables = [
  'countries',
  'regions',
  'areas',
  'cities',
  'pops',
  'did_group_types',
  'did_groups',
  'stock_keeping_units',
  'nanpa_prefixes',
  'did_group_nanpa_prefixes',
  'capacity_pool_templates',
  'capacity_pool_template_countries',
  'capacity_pool_template_pricings',
] as const;

export type CatalogueTable = (typeof catalogueTables)[number];

/** All rows except the numbers. */
export type CatalogueRows = { [T in CatalogueTable]: Insertable<Schema[T]>[] };

/** A range of consecutive numbers in stock. */
export interface NumberRange {
  first: string;
  count: number;
  did_group_id: string;
  nanpa_prefix_id: string | null;
}

export const count = integer(0, 2_147_483_647);
export const price = decimal('a price such as "0.80"', { whole: 8 });
/** Empty for a group in a country without area codes. */
export const digits = text(/^\d{0,10}$/, 'digits');

/**
 * The first digits of a group's numbers. A country prefix may include an area code ("1684") that the group's prefix
 * repeats.
 */
export function dialPrefix(countryPrefix: string, groupPrefix: string): string {
  return `${isNorthAmerican(countryPrefix) ? '1' : countryPrefix}${groupPrefix}`;
}

export function isNorthAmerican(countryPrefix: string | null): boolean {
  return countryPrefix?.startsWith('1') ?? false;
}
