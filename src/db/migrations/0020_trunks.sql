-- Where calls go to and come from: inbound trunks and groups, outbound trunks, and what minutes cost.

create table voice_in_trunk_groups (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  name text not null,
  capacity_limit integer,
  external_reference_id text,
  created_at timestamptz not null
);
create index voice_in_trunk_groups_account on voice_in_trunk_groups (account_id, created_at);

create table voice_in_trunks (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  name text not null,
  description text,
  external_reference_id text,
  priority integer not null default 1,
  weight integer not null default 65535,
  capacity_limit integer,
  cli_format text not null default 'e164',
  cli_prefix text,
  ringing_timeout integer,
  configuration_type text not null check (configuration_type in ('sip_configurations', 'pstn_configurations')),
  configuration jsonb not null,
  voice_in_trunk_group_id uuid references voice_in_trunk_groups,
  pop_id uuid references pops,
  created_at timestamptz not null
);
create index voice_in_trunks_account on voice_in_trunks (account_id, created_at);
create index voice_in_trunks_group on voice_in_trunks (voice_in_trunk_group_id);
create unique index voice_in_trunks_registration on voice_in_trunks ((configuration->>'incoming_auth_username'))
  where configuration->>'incoming_auth_username' is not null;

-- Trunks and groups share one space of names per account; the key keeps it so whoever comes first.
create table voice_in_names (
  account_id uuid not null references accounts,
  name text not null,
  owner_id uuid not null unique,
  constraint voice_in_names_taken primary key (account_id, name)
);

create function voice_in_names_kept() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from voice_in_names where owner_id = old.id;
  elsif tg_op = 'INSERT' then
    insert into voice_in_names (account_id, name, owner_id) values (new.account_id, new.name, new.id);
  else
    update voice_in_names set name = new.name where owner_id = new.id;
  end if;
  return null;
end $$;
create trigger voice_in_trunks_named after insert or delete or update of name on voice_in_trunks
  for each row execute function voice_in_names_kept();
create trigger voice_in_trunk_groups_named after insert or delete or update of name on voice_in_trunk_groups
  for each row execute function voice_in_names_kept();

create table voice_out_trunks (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  name text not null,
  status text not null default 'active' check (status in ('active', 'blocked')),
  external_reference_id text,
  capacity_limit integer,
  allow_any_did_as_cli boolean not null default false,
  on_cli_mismatch_action text not null,
  default_dst_action text not null default 'allow_all',
  dst_prefixes text[] not null default '{}',
  media_encryption_mode text not null default 'disabled',
  allowed_rtp_ips text[],
  force_symmetric_rtp boolean not null default false,
  rtp_ping boolean not null default false,
  rtp_timeout integer not null default 30,
  threshold_amount numeric(12, 4) not null default 3000,
  threshold_reached boolean not null default false,
  callback_url text,
  -- The API key that last set the callback URL signs while the account has no callback secret.
  sealed_signing_key text,
  emergency_enable_all boolean not null default false,
  authentication_type text not null check (authentication_type in ('credentials_and_ip', 'ip_only', 'twilio')),
  authentication jsonb not null,
  default_did_id uuid,
  created_at timestamptz not null,
  constraint voice_out_trunks_name unique (account_id, name)
);
create unique index voice_out_trunks_twilio on voice_out_trunks (lower(authentication->>'twilio_account_sid'))
  where authentication_type = 'twilio';
create unique index voice_out_trunks_username on voice_out_trunks ((authentication->>'username'))
  where authentication_type = 'credentials_and_ip';

create table voice_out_trunk_dids (
  voice_out_trunk_id uuid not null references voice_out_trunks on delete cascade,
  did_id uuid not null,
  primary key (voice_out_trunk_id, did_id)
);
create index voice_out_trunk_dids_did on voice_out_trunk_dids (did_id);

create table voice_out_trunk_emergency_dids (
  voice_out_trunk_id uuid not null references voice_out_trunks on delete cascade,
  did_id uuid not null,
  primary key (voice_out_trunk_id, did_id)
);
create index voice_out_trunk_emergency_dids_did on voice_out_trunk_emergency_dids (did_id);

-- What a minute costs by the longest prefix of the number that is called. An account's own rate goes before everyone's.
-- A lookup of the caller's name costs the connection fee, by the prefix of the caller.
create table voice_rates (
  id uuid primary key default gen_random_uuid(),
  account_id uuid references accounts on delete cascade,
  kind text not null check (kind in ('pstn_forwarding', 'toll_free', 'termination', 'cnam_lookup')),
  prefix text not null check (prefix ~ '^[0-9]*$'),
  per_minute numeric(12, 6) not null check (per_minute >= 0),
  connection_fee numeric(12, 4) not null default 0 check (connection_fee >= 0),
  initial_interval integer not null default 1 check (initial_interval > 0),
  next_interval integer not null default 1 check (next_interval > 0),
  country text,
  network text
);
create unique index voice_rates_prefix on voice_rates
  (kind, prefix, coalesce(account_id, '00000000-0000-0000-0000-000000000000'));

-- The rate for a call to a number; no row when there is none.
create function voice_rate(wanted text, owner uuid, number text) returns setof voice_rates language sql stable as $$
  select r.* from voice_rates r
  where r.kind = wanted and (r.account_id is null or r.account_id = owner)
    and r.prefix in (select left(number, n) from generate_series(0, length(number)) n)
  order by r.account_id is null, length(r.prefix) desc limit 1
$$;
