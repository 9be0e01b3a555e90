import type { ColumnType, Generated } from 'kysely';

export interface EnvironmentStateTable {
  only_row: Generated<boolean>;
  clock_offset_ms: Generated<number>;
  clock_stands_at: Date | null;
  clock_version: Generated<number>;
  catalogue: string | null;
  server_key_mark: string | null;
}

export interface AccountsTable {
  id: Generated<string>;
  name: string;
  email: string | null;
  password_hash: string | null;
  balance: ColumnType<string, string | undefined, string>;
  credit: ColumnType<string, string | undefined, string>;
  vat_rate: ColumnType<string, string | undefined, string>;
  api_version: Generated<string>;
  read_only: Generated<boolean>;
  limits: ColumnType<Record<string, number>, string | undefined, string>;
  features: ColumnType<Record<string, boolean>, string | undefined, string>;
  sealed_callback_secret: string | null;
  call_events: ColumnType<{ url: string; gzip: boolean } | null, string | null | undefined, string | null>;
  created_at: Date;
}

export interface ApiKeysTable {
  id: Generated<string>;
  account_id: string;
  name: string;
  key_hash: Buffer;
  prefix: string;
  allowed_ips: ColumnType<string[], string[] | undefined, string[]>;
  rate_limit: number | null;
  created_at: Date;
  revoked_at: Date | null;
}
