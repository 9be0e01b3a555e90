-- Callbacks on their way out, with every attempt.

-- Orders the callbacks of a batch.
create sequence deliveries_places;

create table deliveries (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  kind text not null,
  resource_id uuid,
  url text not null,
  method text not null check (method in ('get', 'post', 'json')),
  -- One object, or for `json` a list of entries: what piles up while a receiver fails goes out together.
  payload jsonb not null,
  batch text,
  -- The API key that created the resource signs while the account has no callback secret; sealed with the server key.
  sealed_signing_key text,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed', 'dropped', 'merged')),
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  -- Orders the callbacks of a batch.
  place bigint,
  -- A process sends it at this moment; no other callback of the batch is sent meanwhile.
  sending boolean not null default false
);
create index deliveries_account on deliveries (account_id, created_at desc);
create index deliveries_age on deliveries (finished_at) where finished_at is not null;
create index deliveries_created on deliveries (created_at);
create index deliveries_status on deliveries (status, created_at);
create index deliveries_kind on deliveries (kind, created_at);
-- Operators look for the callbacks to one receiver by its host, or the beginning of it. A password in a URL is no part
-- of the host.
create index deliveries_host on deliveries (lower(split_part(regexp_replace(url, '//[^/@]*@', '//'), '/', 3)) text_pattern_ops, created_at);
create index deliveries_batch on deliveries (batch, place) where batch is not null and status = 'pending';

create table delivery_attempts (
  delivery_id uuid not null,
  attempted_at timestamptz not null,
  attempt integer not null,
  request jsonb not null,
  status integer,
  error text,
  answer text,
  duration_ms integer not null
) partition by range (attempted_at);
create index delivery_attempts_delivery on delivery_attempts (delivery_id, attempted_at);
create index delivery_attempts_time on delivery_attempts (attempted_at);
