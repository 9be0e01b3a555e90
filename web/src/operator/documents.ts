/** The types of `/operator/v1` that the pages show. */
import type { Resource } from '../api/documents.ts';
import type { OperatorRole } from '../api/queries.ts';

export type Account = Resource<{
  name: string;
  email: string | null;
  balance: string;
  credit: string;
  vat_rate: string;
  api_version: string;
  read_only: boolean;
  limits: Record<string, number | null>;
  features: Record<string, boolean>;
  low_balance_threshold: string | null;
  low_balance_callback_url: string | null;
  suspended: boolean;
  closed: boolean;
  suspension_reason: string | null;
  renewals_held: boolean;
  suspended_at: string | null;
  closed_at: string | null;
  created_at: string;
}>;
export type OperatorNumber = Resource<{
  number: string;
  state: string;
  owned_since: string | null;
  expires_at: string | null;
  description: string | null;
  route: string | null;
  created_at: string;
}>;
export interface ChargedItem {
  position: number;
  kind: string;
  about: string | null;
  qty: number;
  amount: string;
  refunded: string;
}
export type OperatorOrder = Resource<{
  reference: string;
  description: string;
  status: 'pending' | 'completed' | 'canceled';
  amount: string;
  refunded: string;
  items: { attributes: ChargedItem }[];
  external_reference_id: string | null;
  created_at: string;
  finished_at: string | null;
}>;
export type LedgerEntry = Resource<{
  movement: number;
  ledger: string;
  amount: string;
  cause: string;
  reference: string;
  occasion: string;
  created_at: string;
}>;
export type Adjustment = Resource<{
  kind: 'credit' | 'debit';
  amount: string;
  reason: string;
  actor: string;
  created_at: string;
}>;
export type AuditEntry = Resource<{
  at: string;
  actor: string;
  source: string | null;
  action: string;
  subject_type: string;
  subject_id: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  reason: string | null;
}>;
export type OperatorRecord = Resource<{ email: string; role: OperatorRole; created_at: string }>;
export interface RoutingDecision {
  decision: 'routed' | 'refused';
  code: number | null;
  reason: string | null;
  account_id: string | null;
  trunks: { id: string; name: string; priority: number; weight: number; destination: string }[];
  notes: string[];
}
export type Submission = Resource<{
  kind: 'address_verifications' | 'emergency_verifications';
  reference: string;
  status: 'pending' | 'approved' | 'rejected';
  identity: string;
  city: string | null;
  country: string | null;
  numbers: number;
  reject_reasons: string[] | null;
  reject_comment: string | null;
  created_at: string;
  decided_at: string | null;
}>;
export type Stock = Resource<{
  country: string;
  country_iso: string;
  type: string;
  area_name: string;
  prefix: string;
  available: number;
  sold: number;
  reserved: number;
  quarantined: number;
  withdrawn: number;
  waiting: number;
  lowest_price: string | null;
}>;
export type StockAction = Resource<{
  action: 'withdraw' | 'quarantine' | 'release' | 'move';
  number_prefix: string | null;
  until: string | null;
  reason: string;
  count: number;
  owned: number;
  skipped: number;
  actor: string;
  created_at: string;
}>;
/** What a reviewer compares. */
export interface Papers {
  id: string;
  required: { of: string; text: string }[];
  identity: Record<string, string | null> | null;
  address: Record<string, string | null> | null;
  service_description: string | null;
  numbers: string[];
  files: { id: string; of: string; size: number }[];
}
