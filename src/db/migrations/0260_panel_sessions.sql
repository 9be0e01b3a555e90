-- Signing in to the panel: sessions, failed attempts, and when an API key was last used.

create table panel_sessions (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  -- SHA-256 of the token in the cookie; the token itself is stored nowhere.
  token_hash bytea not null unique,
  ip inet not null,
  user_agent text not null,
  created_at timestamptz not null,
  -- Written at most once a minute.
  last_used_at timestamptz not null,
  -- However busy the session is; an idle one ends earlier.
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index panel_sessions_account on panel_sessions (account_id, created_at);

-- Attempts to sign in are counted before the password is checked, so that parallel attempts count too.
create table sign_in_attempts (
  -- Digest of the e-mail address, the client's address, or both: neither can be read from it.
  subject bytea primary key,
  failures integer not null,
  last_at timestamptz not null
);
create index sign_in_attempts_last on sign_in_attempts (last_at);

-- Apart from api_keys: a change of a key is told to every process, its use is not.
create table api_key_uses (
  api_key_id uuid primary key references api_keys on delete cascade,
  last_used_at timestamptz not null
);

create index accounts_email_in_any_case on accounts (lower(email));
