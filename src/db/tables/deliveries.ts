import type { ColumnType, Generated } from 'kysely';

export type DeliveryMethod = 'get' | 'post' | 'json';
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'dropped';

export interface DeliveriesTable {
  id: Generated<string>;
  account_id: string;
  kind: string;
  resource_id: string | null;
  url: string;
  method: DeliveryMethod;
  payload: ColumnType<unknown, string, string>;
  batch: string | null;
  sealed_signing_key: string | null;
  status: Generated<DeliveryStatus>;
  attempts: Generated<number>;
  next_attempt_at: Date | null;
  created_at: ColumnType<Date, Date, never>;
  finished_at: Date | null;
}

export interface DeliveryAttemptsTable {
  delivery_id: string;
  attempted_at: Date;
  attempt: number;
  request: ColumnType<Record<string, unknown>, string, never>;
  status: number | null;
  error: string | null;
  answer: string | null;
  duration_ms: number;
}
