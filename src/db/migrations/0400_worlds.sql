-- Worlds of the sandbox: further databases on the same server, each a whole sandbox of its own. Only the sandbox has rows here.

create table world_snapshots (
  id text primary key,
  account_id uuid not null references accounts,
  name text not null,
  created_at timestamptz not null,
  constraint world_snapshots_name unique (account_id, name)
);

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
  check (state in ('making', 'ready', 'ending') or (account_id is not null and origin is not null))
);
create index worlds_account on worlds (account_id);

create function world_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'world ' || coalesce(new.id, old.id));
  return null;
end $$;
create trigger world_changed after insert or delete or update of state, api_key_hash, application_key on worlds
  for each row execute function world_changed();
