/** The rows of a whole catalogue by table, in insertable order. */
import type { Insertable } from 'kysely';
import type { Schema } from '../db/schema.ts';

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
