import type { ColumnType, Generated } from 'kysely';

export interface DidsTable {
  id: Generated<string>;
  account_id: string;
  number: string;
  did_group_id: string;
  nanpa_prefix_id: string | null;
  sku_id: string;
  order_id: string;
  order_position: number;
  description: string | null;
  awaiting_registration: Generated<boolean>;
  terminated: Generated<boolean>;
  blocked_by_staff: Generated<boolean>;
  emergency_enabled: Generated<boolean>;
  capacity_limit: number | null;
  channels_included_count: number;
  dedicated_channels_count: Generated<number>;
  billing_cycles_count: number | null;
  capacity_pool_id: string | null;
  shared_capacity_group_id: string | null;
  voice_in_trunk_id: string | null;
  voice_in_trunk_group_id: string | null;
  address_verification_id: string | null;
  identity_id: string | null;
  emergency_calling_service_id: string | null;
  emergency_verification_id: string | null;
  created_at: Date;
  activated_at: Date | null;
  billed_since: Date | null;
  periods: Generated<number>;
  expires_at: Date | null;
  expired_at: Date | null;
  due_at: Date | null;
}

export type DidAction = 'assigned' | 'renewed' | 'canceled' | 'removed' | 'billing_cycles_count_changed' | 'restored';

export type DidMethod = 'system' | 'api2' | 'api3' | 'staff' | 'user_panel' | 'mcp';

export interface DidHistoryTable {
  id: Generated<string>;
  account_id: string;
  did_number: string;
  action: DidAction;
  method: DidMethod;
  value_from: string | null;
  value_to: string | null;
  created_at: ColumnType<Date, Date, never>;
}
