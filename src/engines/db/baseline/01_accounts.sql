-- Customers, their keys and members, how they sign in to the panel, and the one row that an environment keeps about
-- itself.

-- In the search_path of the job queue before pg_catalog: its now() is the environment's time (functions/time).
create schema environment_time;

create table accounts (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  email text unique,
  password_hash text,
  -- Prepared for the ledger: only src/business/money may change these two.
  balance numeric(18, 4) not null default 0,
  credit numeric(18, 4) not null default 0,
  vat_rate numeric(6, 3) not null default 0,
  -- Null until the first request with a key of the account, which fixes the newest version of that moment.
  api_version text,
  read_only boolean not null default false,
  -- What differs from the defaults in src/business/accounts/limits.ts and features.ts; everything is on unless switched
  -- off.
  limits jsonb not null default '{}',
  features jsonb not null default '{}',
  -- Encrypted with the server key (src/business/accounts/sealing.ts).
  sealed_callback_secret text,
  call_events jsonb,
  created_at timestamptz not null,
  suspended_at timestamptz,
  -- Shown to the customer in every refused request.
  suspension_reason text,
  renewals_held boolean not null default false,
  closed_at timestamptz,
  held numeric(18, 4) not null default 0,
  -- At least what open verifications may cost. Those that are over are still in it; it is computed anew when it leaves
  -- too little.
  quoted_at_most numeric(18, 4) not null default 0,
  constraint accounts_suspension check ((suspended_at is null) = (suspension_reason is null)
    and (suspended_at is not null or (closed_at is null and not renewals_held)))
);
create unique index accounts_name on accounts (name);
create index accounts_email_in_any_case on accounts (lower(email));

create table api_keys (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  key_hash bytea not null unique,
  prefix text not null,
  allowed_ips cidr[] not null default '{}',
  rate_limit integer check (rate_limit > 0),
  created_at timestamptz not null,
  revoked_at timestamptz,
  -- Null: everything. Otherwise areas such as `numbers`, or `numbers:read`.
  scopes text[],
  -- A key that was replaced works until then.
  expires_at timestamptz
);
create index api_keys_account on api_keys (account_id);

-- Apart from api_keys: a change of a key is told to every process, its use is not.
create table api_key_uses (
  api_key_id uuid primary key references api_keys on delete cascade,
  last_used_at timestamptz not null
);

-- Who signs in to the panel beside an account's own login: its members, with roles.
create table account_members (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  email text not null,
  -- Null until the invitation is accepted.
  password_hash text,
  role text not null check (role in ('owner', 'billing', 'developer', 'read-only')),
  created_at timestamptz not null
);
create unique index account_members_email on account_members (lower(email));
create index account_members_account on account_members (account_id, created_at);

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

create table panel_sessions (
  id uuid primary key default gen_random_uuid(),
  -- Of an operator's session: the account the operator acts as, if any.
  account_id uuid references accounts on delete cascade,
  -- SHA-256 of the token in the cookie; the token itself is stored nowhere.
  token_hash bytea not null unique,
  ip inet not null,
  user_agent text not null,
  created_at timestamptz not null,
  -- Written at most once a minute.
  last_used_at timestamptz not null,
  -- However busy the session is; an idle one ends earlier.
  expires_at timestamptz not null,
  revoked_at timestamptz,
  member_id uuid references account_members on delete cascade,
  operator_id uuid,
  confirmed_at timestamptz,
  -- Why an operator acts as a customer; every entry of the audit log about what is done then has it.
  acting_reason text,
  constraint panel_sessions_person
    check (case when operator_id is null then account_id is not null else member_id is null end)
);
create index panel_sessions_account on panel_sessions (account_id, created_at);
create index panel_sessions_operator on panel_sessions (operator_id) where operator_id is not null;
create index panel_sessions_member on panel_sessions (member_id) where member_id is not null;

-- One row per attempt to sign in that counts and per subject it counts for. Rows are only added and removed, never
-- changed: nobody waits for anybody.
create table sign_in_failures (
  -- Digest of the e-mail address, the client's address, or both: neither can be read from it.
  subject bytea not null,
  attempt_id uuid not null,
  at timestamptz not null,
  -- Whether the password of an attempt was checked and wrong. One that is still being checked may turn out to be right:
  -- others wait for it for a moment instead of being refused.
  checked boolean not null default false,
  primary key (subject, attempt_id)
);
create index sign_in_failures_at on sign_in_failures (at);

-- How often something that reaches strangers was asked for in the last day: invitations, confirmations of an e-mail
-- address.
create table daily_counts (
  id bigint generated always as identity primary key,
  -- Digest of what is limited and for whom.
  subject bytea not null,
  at timestamptz not null
);
create index daily_counts_subject on daily_counts (subject, at);
create index daily_counts_at on daily_counts (at);

-- What seeds made in the sandbox on the last day that had any, by the machine's clock.
create table seed_budgets (
  account_id uuid primary key references accounts on delete cascade,
  -- Whose seed made the account, and for whom it counts; itself otherwise.
  payer_id uuid not null references accounts on delete cascade,
  day date not null default (now() at time zone 'UTC')::date,
  records integer not null default 0,
  accounts integer not null default 0
);
create index seed_budgets_payer on seed_budgets (payer_id);

-- What a login of the panel has beside its password: one-time codes, recovery codes, passkeys, links by which a new
-- password is set.
create table panel_logins (
  id uuid primary key default gen_random_uuid(),
  account_id uuid unique references accounts on delete cascade,
  member_id uuid unique references account_members on delete cascade,
  operator_id uuid unique,
  sealed_totp_secret text,
  -- Until then the secret is only shown, and not asked for.
  totp_confirmed_at timestamptz,
  -- The last step of 30 seconds whose code was taken: a code works once.
  totp_last_step bigint not null default 0,
  -- SHA-256 of those that are left.
  recovery_code_hashes bytea[] not null default '{}',
  check (num_nonnulls(account_id, member_id, operator_id) = 1)
);

create table passkeys (
  id uuid primary key default gen_random_uuid(),
  login_id uuid not null references panel_logins on delete cascade,
  name text not null,
  credential_id bytea not null unique,
  public_key bytea not null,
  -- Of authenticators that count; a lower one than before is a copy.
  uses bigint not null,
  transports text[] not null default '{}',
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_login on passkeys (login_id);

-- What a person has begun and not finished: the second step of a sign-in, a passkey that is asked for.
create table login_challenges (
  token_hash bytea primary key,
  -- Null while a passkey is asked for without knowing whose.
  login_id uuid references panel_logins on delete cascade,
  purpose text not null check (purpose in ('second_factor', 'passkey_sign_in', 'passkey_registration',
    'passkey_confirmation')),
  -- What the authenticator signs.
  challenge text,
  expires_at timestamptz not null
);
create index login_challenges_expiry on login_challenges (expires_at);

create table login_links (
  token_hash bytea primary key,
  login_id uuid not null references panel_logins on delete cascade,
  purpose text not null check (purpose in ('reset', 'invitation', 'email')),
  expires_at timestamptz not null,
  -- A link can also prove that a new e-mail address is the person's own; the login gets it when the link is used.
  email text
);
create index login_links_login on login_links (login_id);

-- Live events of the panel: hints that something has changed, written only while somebody looks.
create table panel_watchers (
  -- The account that is looked at. All zeros: operators, who look at every account.
  account_id uuid primary key,
  -- Events of every transaction from this number on have been kept.
  since bigint not null,
  -- Renewed while somebody looks; a row that is late is deleted by any process.
  seen_at timestamptz not null
);

create table panel_events (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  topic text not null,
  subject text not null,
  -- The transaction that wrote it: readers go on from the oldest one that was still open when they last read.
  transaction bigint not null default (pg_current_xact_id()::text::bigint)
);
create index panel_events_transaction on panel_events (transaction);

create table environment_state (
  only_row boolean primary key default true check (only_row),
  -- How far the sandbox's clock is ahead of the machine's; always 0 in production.
  clock_offset_ms bigint not null default 0 check (clock_offset_ms >= 0),
  -- Set while the clock is being advanced: it stands at each due time in turn (docs/accounts.md).
  clock_stands_at timestamptz,
  -- Counts the changes, so that a process which hears of them late does not go back to an older one.
  clock_version bigint not null default 0,
  catalogue text,
  -- A mark made with the server key: a process that comes with another key is told so before it stores a secret.
  server_key_mark text,
  -- Marks of server keys that have sealed secrets besides the one of server_key_mark: while a key is being replaced,
  -- and until `trunkline server-key reseal` has sealed everything with the new one.
  further_key_marks text[] not null default '{}',
  -- A sandbox's clock may run faster than the machine's: from `clock_factor_since` on, every second counts as
  -- `clock_factor` ones. Without a factor it runs as fast. A factor without `since` belongs to a snapshot, and begins
  -- to count when that is opened.
  clock_factor int check (clock_factor > 1),
  clock_factor_since timestamptz
);
insert into environment_state default values;
