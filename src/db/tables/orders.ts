import type { ColumnType, Generated } from 'kysely';

export type OrderKind = 'did' | 'capacity' | 'emergency' | 'generic';
export type OrderStatus = 'pending' | 'completed' | 'canceled';
export type OrderItemType =
  | 'did_order_items'
  | 'capacity_order_items'
  | 'emergency_order_items'
  | 'generic_order_items';

export interface OrdersTable {
  id: Generated<string>;
  seq: Generated<number>;
  account_id: string;
  reference: string;
  kind: OrderKind;
  description: string;
  amount: string;
  refunded: Generated<string>;
  vat_rate: Generated<string>;
  status: OrderStatus;
  callback_url: string | null;
  callback_method: 'get' | 'post' | null;
  external_reference_id: string | null;
  sealed_signing_key: string | null;
  created_at: ColumnType<Date, Date, never>;
  finished_at: Date | null;
}

export interface OrderItemsTable {
  order_id: string;
  position: number;
  type: OrderItemType;
  qty: number;
  nrc: string;
  mrc: string;
  nrc_vat: Generated<string>;
  mrc_vat: Generated<string>;
  refunded: Generated<string>;
  refunded_vat: Generated<string>;
  prorated_mrc: Generated<boolean>;
  billed_from: string | null;
  billed_to: string | null;
  did_group_id: string | null;
  sku_id: string | null;
  nanpa_prefix_id: string | null;
  billing_cycles_count: number | null;
  missing: Generated<number>;
  declined: Generated<string[]>;
  capacity_pool_id: string | null;
  emergency_calling_service_id: string | null;
}

export interface IdempotencyKeysTable {
  account_id: string;
  key: string;
  fingerprint: Buffer;
  order_id: string;
  answer: ColumnType<Record<string, unknown> | null, string | null, string | null>;
  created_at: Date;
}
