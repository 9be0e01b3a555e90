import type { ColumnType, Generated } from 'kysely';

export interface CountriesTable {
  id: string;
  name: string;
  prefix: string | null;
  iso: string;
}

export interface RegionsTable {
  id: string;
  country_id: string;
  name: string;
  iso: string | null;
}

export interface AreasTable {
  id: string;
  country_id: string;
  name: string;
}

export interface CitiesTable {
  id: string;
  country_id: string;
  region_id: string | null;
  area_id: string | null;
  name: string;
}

export interface NamedTable {
  id: string;
  name: string;
}

export interface DidGroupsTable {
  id: string;
  country_id: string;
  region_id: string | null;
  city_id: string | null;
  did_group_type_id: string;
  prefix: string;
  area_name: string;
  features: string[];
  is_metered: Generated<boolean>;
  allow_additional_channels: Generated<boolean>;
  service_restrictions: string | null;
  available_dids_enabled: Generated<boolean>;
  needs_registration: Generated<boolean>;
  back_orderable: Generated<boolean>;
}

export interface StockKeepingUnitsTable {
  id: string;
  did_group_id: string;
  setup_price: string;
  monthly_price: string;
  channels_included_count: number;
}

export interface NanpaPrefixesTable {
  id: string;
  country_id: string;
  region_id: string | null;
  npa: string;
  nxx: string;
}

export interface DidGroupNanpaPrefixesTable {
  did_group_id: string;
  nanpa_prefix_id: string;
}

export interface AvailableDidsTable {
  id: Generated<string>;
  number: string;
  did_group_id: string;
  nanpa_prefix_id: string | null;
}

export interface StockBlocksTable {
  base: string;
  did_group_id: string;
  nanpa_prefix_id: string | null;
  available: number;
  bits: string;
}

export interface DidReservationsTable {
  id: Generated<string>;
  account_id: string;
  available_did_id: string;
  number: string;
  did_group_id: string;
  description: string | null;
  created_at: ColumnType<Date, Date, never>;
  expires_at: Date;
}
