-- What a login of the panel has beside its password: one-time codes, recovery codes, passkeys, links by which a new password is set.

-- Made when it is first needed. The login of an account, of a member, or of an operator.
create table panel_logins (
  id uuid primary key default gen_random_uuid(),
  account_id uuid unique references accounts on delete cascade,
  member_id uuid unique references account_members on delete cascade,
  operator_id uuid unique references operators on delete cascade,
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
  purpose text not null check (purpose in ('second_factor', 'passkey_sign_in', 'passkey_registration')),
  -- What the authenticator signs.
  challenge text,
  expires_at timestamptz not null
);
create index login_challenges_expiry on login_challenges (expires_at);

create table login_links (
  token_hash bytea primary key,
  login_id uuid not null references panel_logins on delete cascade,
  purpose text not null check (purpose in ('reset', 'invitation')),
  expires_at timestamptz not null
);
create index login_links_login on login_links (login_id);
