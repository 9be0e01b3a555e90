import type { ColumnType, Generated } from 'kysely';
import type { IdentityType, ReviewedTable } from './regulation.ts';

export interface EmergencyRequirementsTable {
  id: string;
  country_id: string;
  did_group_type_id: string;
  identity_type: 'any' | IdentityType;
  personal_area_level: 'world_wide' | 'country' | null;
  business_area_level: 'world_wide' | 'country' | null;
  address_area_level: 'country' | 'area' | 'city';
  personal_mandatory_fields: string[];
  business_mandatory_fields: string[];
  address_mandatory_fields: string[];
  estimate_setup_time: string;
  requirement_restriction_message: string | null;
  setup_price: string | null;
  monthly_price: string | null;
}

export interface EmergencyRatesTable {
  account_id: string;
  emergency_requirement_id: string;
  setup_price: string | null;
  monthly_price: string | null;
}

export type ServiceStatus = 'new' | 'in_process' | 'changes_required' | 'active' | 'pending_update' | 'canceled';

export interface EmergencyCallingServicesTable {
  id: Generated<string>;
  account_id: string;
  name: string;
  reference: string;
  status: ServiceStatus;
  country_id: string;
  did_group_type_id: string;
  emergency_requirement_id: string;
  order_id: string | null;
  setup_price: string;
  monthly_price: string;
  activated_at: Date | null;
  canceled_at: Date | null;
  renew_date: string | null;
  created_at: ColumnType<Date, Date, never>;
}

export interface EmergencyVerificationsTable extends ReviewedTable {
  seq: Generated<number>;
  emergency_calling_service_id: string;
}

export interface EmergencyVerificationDidsTable {
  emergency_verification_id: string;
  did_id: string;
}
