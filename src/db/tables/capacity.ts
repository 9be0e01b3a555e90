import type { ColumnType, Generated } from 'kysely';

export interface CapacityPoolTemplatesTable {
  id: string;
  name: string;
  minimum_limit: number;
  minimum_qty_per_order: number;
  setup_price: string;
  monthly_price: string;
  metered_rate: string;
}

export interface CapacityPoolTemplateCountriesTable {
  template_id: string;
  country_id: string;
}

export interface CapacityPoolTemplatePricingsTable {
  id: string;
  template_id: string;
  qty: number;
  setup_price: string;
  monthly_price: string;
}

export interface CapacityPoolsTable {
  id: Generated<string>;
  account_id: string;
  template_id: string;
  renew_date: string;
  renew_day: number;
  total_channels_count: Generated<number>;
  /** Kept by triggers on dids and shared_capacity_groups. */
  assigned_channels_count: ColumnType<number, never, never>;
  suspended: Generated<boolean>;
}

export interface SharedCapacityGroupsTable {
  id: Generated<string>;
  seq: Generated<number>;
  account_id: string;
  capacity_pool_id: string;
  name: string;
  shared_channels_count: Generated<number>;
  metered_channels_count: Generated<number>;
  external_reference_id: string | null;
  created_at: ColumnType<Date, Date, never>;
}

/** Views over an account's pools. */
export interface CapacityPoolCountriesView {
  capacity_pool_id: string;
  country_id: string;
}
