-- Accounts and their keys, and the one row that holds this environment's state.

create table environment_state (
  only_row boolean primary key default true check (only_row),
  -- How far the sandbox's clock is ahead of the machine's; always 0 in production.
  clock_offset_ms bigint not null default 0 check (clock_offset_ms >= 0),
  -- Set while the clock is being advanced: it stands at each due time in turn (docs/accounts.md).
  clock_stands_at timestamptz,
  -- Counts the changes, so that a process which hears of them late does not go back to an older one.
  clock_version bigint not null default 0,
  catalogue text
);
insert into environment_state default values;

create table accounts (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  email text unique,
  password_hash text,
  -- Prepared for the ledger: only src/money may change these two.
  balance numeric(18, 4) not null default 0,
  credit numeric(18, 4) not null default 0,
  vat_rate numeric(6, 3) not null default 0,
  api_version text not null default '2026-04-16',
  read_only boolean not null default false,
  -- What differs from the defaults in src/accounts/limits.ts and features.ts; everything is on unless switched off.
  limits jsonb not null default '{}',
  features jsonb not null default '{}',
  -- Encrypted with the server key (src/accounts/sealing.ts).
  sealed_callback_secret text,
  call_events jsonb,
  created_at timestamptz not null
);
create unique index accounts_name on accounts (name);

create table api_keys (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  key_hash bytea not null unique,
  prefix text not null,
  allowed_ips cidr[] not null default '{}',
  rate_limit integer check (rate_limit > 0),
  created_at timestamptz not null,
  revoked_at timestamptz
);
create index api_keys_account on api_keys (account_id);
