-- What a key may do, until when a replaced key still works, and how keys are used.

alter table api_keys
  -- Null: everything. Otherwise areas such as `numbers`, or `numbers:read`.
  add column scopes text[],
  -- A key that was replaced works until then.
  add column expires_at timestamptz;

-- Requests of a key by hour; errors have the title that most tells them apart.
create table api_key_usage (
  api_key_id uuid not null references api_keys,
  hour timestamptz not null,
  method text not null,
  path text not null,
  status integer not null,
  error text not null default '',
  requests bigint not null,
  last_at timestamptz not null,
  primary key (api_key_id, hour, method, path, status, error)
);

-- The panel lists an account's verifications by time. Neither column ever changes, so updates stay within their page.
create index verifications_account on verifications (account_id, created_at);
