import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

export interface OtpApplicationsTable {
  id: Generated<string>;
  account_id: string;
  key: string;
  sealed_secret: string;
  name: string;
  description: string | null;
  minimum_mode: Generated<'public' | 'basic' | 'application'>;
  callback_url: string | null;
  code_timeout: Generated<number>;
  code_length: Generated<number>;
  senders: ColumnType<Record<string, string>, string | undefined, string>;
  daily_limit: number | null;
  created_at: Date;
  deleted_at: Date | null;
}

export interface VerificationsTable {
  id: string;
  seq: GeneratedAlways<number>;
  application_id: string;
  account_id: string;
  destination: string;
  delivery_method: 'sms' | 'callout';
  status: 'pending' | 'verified' | 'failed' | 'denied';
  error_code: string | null;
  fee: string;
  language: string;
  app_hash: string | null;
  code_length: number;
  code_timeout: number;
  /** One keyed hash, or several where a code was sent again after a crash. */
  code_hash: Buffer | null;
  wrong_reports: Generated<number>;
  early_reports: Generated<number>;
  created_at: Date;
  expires_at: Date;
  dispatch_started_at: Date | null;
  dispatch_provider_id: string | null;
  dispatched_at: Date | null;
  dispatch_in_doubt: Generated<boolean>;
  final_at: Date;
  counted_in: ColumnType<{ guard: string; subject: string; window_start: string }[] | null, string | undefined, never>;
}

export interface VerificationSlotsTable {
  application_id: string;
  destination: string;
  started_at: Date;
  verification_id: string;
  superseded_id: string | null;
}

export interface VerificationRatesTable {
  per: Generated<'verification' | 'message'>;
  delivery_method: 'sms' | 'callout';
  prefix: string;
  amount: string;
}

/** What a start may cost; nothing is charged before it has happened. */
export interface VerificationQuotesTable {
  verification_id: string;
  account_id: string;
  expires_at: Date;
  vat_rate: string;
  fee_net: string;
  fee_vat: string;
  message_net: string;
  message_vat: string;
  message_charged: Generated<boolean>;
}

export interface VerificationProvidersTable {
  id: Generated<string>;
  name: string;
  kind: 'http' | 'smpp';
  settings: ColumnType<Record<string, unknown>, string, string>;
  sealed_secret: string | null;
  enabled: Generated<boolean>;
  created_at: Date;
  failures: Generated<number>;
  set_aside_until: Date | null;
  last_failure: string | null;
  last_failure_at: Date | null;
  sealed_receipt_secret: string | null;
}

export interface VerificationRoutesTable {
  id: Generated<string>;
  delivery_method: 'sms' | 'callout';
  prefix: string;
  priority: Generated<number>;
  provider_id: string;
}

export interface VerificationSentMessagesTable {
  provider_id: string;
  message_id: string;
  verification_id: string;
  sent_at: Date;
  receipt: 'delivered' | 'failed' | null;
  receipt_at: Date | null;
}

export interface SandboxMessagesTable {
  id: GeneratedAlways<number>;
  verification_id: string;
  account_id: string;
  destination: string;
  delivery_method: 'sms' | 'callout';
  language: string;
  text: string;
  code: string;
  created_at: Date;
}

export interface VerificationSettingsTable {
  only_row: Generated<boolean>;
  settings: ColumnType<Record<string, unknown>, string | undefined, string>;
}

export interface VerificationCountersTable {
  guard: string;
  subject: string;
  window_start: Date;
  count: number;
}

export interface VerificationBlockedStartsTable {
  id: GeneratedAlways<number>;
  application_id: string;
  destination: string;
  delivery_method: string;
  address: string;
  reason: string;
  created_at: Date;
}

export interface VerificationUsedSignaturesTable {
  signature_hash: Buffer;
  seen_at: Date;
}
