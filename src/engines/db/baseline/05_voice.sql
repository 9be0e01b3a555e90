-- Where calls go to and come from: inbound trunks and groups, outbound trunks, rates, carriers, and the SIP peers of
-- both.

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
  configuration_type text not null check (configuration_type in ('sip_configurations', 'pstn_configurations',
    'iax2_configurations', 'h323_configurations')),
  configuration jsonb not null,
  voice_in_trunk_group_id uuid references voice_in_trunk_groups,
  pop_id uuid references pops,
  created_at timestamptz not null,
  user_phone boolean not null default false,
  reliable_provisionals text not null default 'supported' check (reliable_provisionals in ('off', 'supported',
    'required')),
  -- Contacts that are registered to one trunk ring together, or one after another.
  ringing_contacts text not null default 'together' check (ringing_contacts in ('together', 'one_by_one'))
);
create index voice_in_trunks_account on voice_in_trunks (account_id, created_at);
create index voice_in_trunks_group on voice_in_trunks (voice_in_trunk_group_id);
create unique index voice_in_trunks_registration on voice_in_trunks ((configuration->>'incoming_auth_username'))
  where configuration->>'incoming_auth_username' is not null;
-- A REGISTER names the user name only.
create index voice_in_trunks_registering on voice_in_trunks ((configuration ->> 'incoming_auth_username'))
  where configuration ->> 'incoming_auth_username' is not null;

-- Trunks and groups share one space of names per account; the key keeps it so whoever comes first.
create table voice_in_names (
  account_id uuid not null references accounts,
  name text not null,
  owner_id uuid not null unique,
  constraint voice_in_names_taken primary key (account_id, name)
);

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
  -- The addresses that may call out with a trunk, as the database reads them. No statement casts the text of other
  -- tenants: one entry that is no address used to fail everybody's calls.
  allowed_networks cidr[] not null default '{}',
  held numeric(18, 4) not null default 0,
  -- At least what counts against the threshold. Charges that have become older than a day are still in it; it is
  -- computed anew when it leaves too little.
  spent_at_most numeric(18, 4) not null default 0,
  -- Spending before this time does not count: the customer has unblocked the trunk by hand.
  threshold_from timestamptz,
  constraint voice_out_trunks_name unique (account_id, name)
);
create unique index voice_out_trunks_twilio on voice_out_trunks (lower(authentication->>'twilio_account_sid'))
  where authentication_type = 'twilio';
create unique index voice_out_trunks_username on voice_out_trunks ((authentication->>'username'))
  where authentication_type = 'credentials_and_ip';
create index voice_out_trunks_default_did on voice_out_trunks (default_did_id) where default_did_id is not null;

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

-- Carriers: the networks that bring calls in and take calls out.
create table carriers (
  id uuid primary key default gen_random_uuid(),
  name text not null constraint carriers_name unique,
  -- Where its calls come from; empty for a carrier that only takes calls.
  addresses cidr[] not null default '{}',
  -- Which of several carriers with the same network a call belongs to: the lowest.
  priority integer not null default 10,
  -- Leading digits of the numbers to which it may send calls; null for all numbers.
  prefixes text[] check (cardinality(prefixes) > 0),
  enabled boolean not null default true,
  transport text not null default 'udp' check (transport in ('udp', 'tcp', 'tls')),
  -- Where calls are sent to; null for a carrier that only brings calls. Without a port it is found by DNS.
  host text,
  port integer check (port between 1 and 65535),
  -- Digest credentials for calls that are sent to it; the password is sealed with the server key.
  username text,
  sealed_password text,
  created_at timestamptz not null,
  -- The carriers that take emergency calls: of callers in these countries (ISO codes), or of 'all'.
  emergency_countries text[] not null default '{}',
  -- Whether the certificate of a carrier with SIP over TLS is verified, and the name that it must be for if that is not
  -- its host.
  verify_certificate boolean not null default true,
  certificate_name text,
  -- How the equipment of a carrier or of an inbound trunk wants SIP, where peers differ: numbers marked with
  -- user=phone, and provisional responses sent reliably (100rel). Only an operator sets them.
  user_phone boolean not null default false,
  reliable_provisionals text not null default 'supported' check (reliable_provisionals in ('off', 'supported',
    'required')),
  constraint carriers_port_needs_host check (port is null or host is not null),
  check ((username is null) = (sealed_password is null))
);

-- The longest prefix goes first, then the lowest priority; among equal priorities a carrier is drawn by weight.
create table carrier_routes (
  carrier_id uuid not null references carriers on delete cascade,
  prefix text not null check (prefix ~ '^[0-9]*$'),
  priority integer not null default 10,
  weight integer not null default 10 check (weight >= 0),
  primary key (prefix, carrier_id)
);
create index carrier_routes_carrier on carrier_routes (carrier_id);

-- What a carrier charges the operator for a minute, by the longest prefix of the number that is called; without VAT.
create table carrier_rates (
  carrier_id uuid not null references carriers on delete cascade,
  prefix text not null check (prefix ~ '^[0-9]*$'),
  per_minute numeric(12, 6) not null check (per_minute >= 0),
  connection_fee numeric(12, 4) not null default 0 check (connection_fee >= 0),
  initial_interval integer not null default 1 check (initial_interval > 0),
  next_interval integer not null default 1 check (next_interval > 0),
  primary key (carrier_id, prefix)
);

-- What is known about the SIP peers of an environment, by OPTIONS requests in both directions. A row belongs to a
-- carrier or to an inbound trunk.
create table sip_peers (
  id uuid primary key default gen_random_uuid(),
  carrier_id uuid constraint sip_peers_carrier unique references carriers on delete cascade,
  trunk_id uuid constraint sip_peers_trunk unique references voice_in_trunks on delete cascade,
  -- Null until it was asked for the first time.
  state text check (state in ('up', 'down')),
  since timestamptz,
  checked_at timestamptz,
  -- What it answered, such as '200 OK', or why there is no answer.
  response text,
  round_trip_ms integer,
  -- The address that was asked last.
  address inet,
  -- When the peer itself sent OPTIONS last.
  heard_at timestamptz,
  -- The process that moves this forward asks the peer.
  next_check_at timestamptz,
  check (num_nonnulls(carrier_id, trunk_id) = 1)
);
create index sip_peers_address on sip_peers (address) where trunk_id is not null;

-- A process that carries calls. Its lease is a counter: whoever sees it stand still for long enough by its own
-- monotonic clock may end its calls. So neither an advance of the sandbox's clock nor two machines' different times
-- can take a lease away.
create table voice_workers (
  id uuid primary key,
  beat bigint not null default 0,
  -- By the environment's clock: the last moment its calls are known to have been up.
  seen_at timestamptz not null
);

-- Contacts that registering trunks have registered. One row for each user name; all contacts of it in one value,
-- because they are read and changed together.
create table sip_registrations (
  username text primary key,
  trunk_id uuid not null references voice_in_trunks (id) on delete cascade,
  bindings jsonb not null,
  expires_at timestamptz not null,
  updated_at timestamptz not null
);
create index sip_registrations_trunk on sip_registrations (trunk_id);
