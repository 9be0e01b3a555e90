-- Worlds of the sandbox: further databases on the same server, each a whole sandbox of its own. Only the sandbox has
-- rows here.

-- A row is written before its database is made and deleted after it is dropped, so that no database is forgotten.
-- Times are the machine's: a world that nobody uses ends by real time, wherever the sandbox's clock has been moved.
create table worlds (
  id text primary key,
  state text not null check (state in ('making', 'ready', 'used', 'ending')),
  -- The database that this one was cloned from, and is cloned from again by a reset.
  template text not null,
  -- What the client asked for; null until somebody has the world.
  origin text,
  account_id uuid references accounts,
  name text,
  api_key_hash bytea constraint worlds_api_key_hash unique,
  application_key uuid constraint worlds_application_key unique,
  -- The rows of both keys, which a reset puts back.
  credentials jsonb,
  created_at timestamptz not null,
  used_at timestamptz not null,
  -- A world may have SIP on a port of its own; it is the same after a restart, unless another program has taken it
  -- meanwhile. 0 until it has been opened.
  sip_port int check (sip_port between 0 and 65535),
  whole boolean not null default false,
  check (state in ('making', 'ready', 'ending') or (account_id is not null and origin is not null))
);
create index worlds_account on worlds (account_id);

create table world_snapshots (
  id text primary key,
  account_id uuid not null references accounts,
  name text not null,
  created_at timestamptz not null,
  -- How far the clock of a snapshot is ahead of the machine's, so that the time of a world made from it is known before
  -- its database is opened; null for snapshots from before. Until its database is complete nobody may make a world from
  -- a snapshot.
  complete boolean not null,
  clock_offset_ms bigint,
  -- A snapshot, and a world made from one, may hold every account of the sandbox: only an operator makes such a one,
  -- and it gives no file.
  whole boolean not null default false,
  constraint world_snapshots_name unique (account_id, name)
);

-- What clients have sent to a sandbox and got back, for tests; secrets are blanked before it is written. Only the
-- newest are kept.
create table sandbox_requests (
  id bigint generated always as identity primary key,
  account_id uuid not null references accounts on delete cascade,
  at timestamptz not null,
  method text not null,
  path text not null,
  status integer not null,
  duration_ms integer not null,
  request text,
  response text
);
create index sandbox_requests_account on sandbox_requests (account_id, id);

-- How much each account has made by seeds, so that there is an end to it.
create table seed_uses (
  account_id uuid primary key references accounts,
  accounts integer not null default 0,
  numbers integer not null default 0,
  records integer not null default 0
);
