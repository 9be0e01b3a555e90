-- What operators do with the stock: numbers taken out of it, for a while or for good, moved to another group, put back;
-- and catalogue files that are imported over HTTP.

create table stock_actions (
  id uuid primary key,
  action text not null check (action in ('withdraw', 'quarantine', 'release', 'move')),
  -- What was chosen: a group, first digits, or a list of numbers, which is not kept.
  did_group_id uuid references did_groups,
  number_prefix text,
  target_group_id uuid references did_groups,
  until timestamptz,
  -- Numbers of the stock that it reached; those that customers own, which are held when they come back; and the rest.
  count integer not null,
  owned integer not null default 0,
  skipped integer not null default 0,
  reason text not null,
  actor text not null,
  created_at timestamptz not null
);
create index stock_actions_created on stock_actions (created_at);

-- A number that must not be sold. One that a customer owns is held from the moment it would return to stock.
create table held_numbers (
  number text collate "C" primary key check (number ~ '^[1-9][0-9]{5,14}$'),
  did_group_id uuid not null references did_groups,
  nanpa_prefix_id uuid references nanpa_prefixes,
  state text not null check (state in ('withdrawn', 'quarantined')),
  -- Only of a quarantine; null is for ever.
  until timestamptz check (until is null or state = 'quarantined'),
  reason text not null,
  actor text not null,
  created_at timestamptz not null
);
create index held_numbers_until on held_numbers (until) where until is not null;
create index held_numbers_group on held_numbers (did_group_id);
create index held_numbers_created on held_numbers (created_at);

-- The last guard: whatever puts numbers into stock leaves out those that are held.
create function available_dids_not_held() returns trigger language plpgsql as $$
declare
  held text;
begin
  select h.number into held from added join held_numbers h on h.number = added.number limit 1;
  if held is not null then
    raise exception 'the number % is withdrawn or in quarantine', held;
  end if;
  return null;
end $$;
create trigger available_dids_not_held after insert on available_dids
  referencing new table as added for each statement execute function available_dids_not_held();

create table catalogue_imports (
  id uuid primary key,
  name text not null,
  dry_run boolean not null,
  status text not null check (status in ('awaiting_content', 'waiting', 'running', 'done', 'failed')),
  size bigint not null default 0,
  -- The upload whose parts are the file.
  upload_id uuid,
  -- Percent of the work, for whoever waits.
  progress integer not null default 0,
  entries integer,
  numbers integer,
  -- The first invalid lines, and how many there are.
  errors jsonb not null default '[]',
  error_count integer not null default 0,
  problem text,
  reason text,
  actor text not null,
  operator_id uuid,
  source text,
  created_at timestamptz not null,
  finished_at timestamptz
);
create index catalogue_imports_created on catalogue_imports (created_at);

-- The file while it waits; removed with the end of the import. An upload that breaks off leaves parts that no import names.
create table catalogue_import_parts (
  import_id uuid not null references catalogue_imports on delete cascade,
  upload_id uuid not null,
  part integer not null,
  content bytea not null,
  primary key (import_id, upload_id, part)
);
