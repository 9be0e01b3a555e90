-- What is sold: coverage, groups and their offers, and the stock of numbers.

-- Names sort as people read them and codes by their characters, whatever locale the database was made with.
create table countries (
  id uuid primary key,
  name text collate "und-x-icu" not null,
  prefix text collate "C",
  iso text collate "C" not null unique
);

create table regions (
  id uuid primary key,
  country_id uuid not null references countries,
  name text collate "und-x-icu" not null,
  iso text collate "C"
);
create index regions_country on regions (country_id);

create table areas (
  id uuid primary key,
  country_id uuid not null references countries,
  name text collate "und-x-icu" not null
);
create index areas_country on areas (country_id);

create table cities (
  id uuid primary key,
  country_id uuid not null references countries,
  region_id uuid references regions,
  area_id uuid references areas,
  name text collate "und-x-icu" not null
);
create index cities_country on cities (country_id);
create index cities_region on cities (region_id);
create index cities_name on cities (name, id);

create table pops (
  id uuid primary key,
  name text collate "und-x-icu" not null
);

create table did_group_types (
  id uuid primary key,
  name text collate "und-x-icu" not null unique
);

create table did_groups (
  id uuid primary key,
  country_id uuid not null references countries,
  region_id uuid references regions,
  city_id uuid references cities,
  did_group_type_id uuid not null references did_group_types,
  prefix text collate "C" not null,
  area_name text collate "und-x-icu" not null,
  features text[] not null,
  is_metered boolean not null default false,
  allow_additional_channels boolean not null default true,
  service_restrictions text collate "und-x-icu",
  available_dids_enabled boolean not null default true,
  needs_registration boolean not null default false,
  back_orderable boolean not null default true
);
create index did_groups_country on did_groups (country_id);
create index did_groups_region on did_groups (region_id);
create index did_groups_city on did_groups (city_id);
create index did_groups_type on did_groups (did_group_type_id);

create table stock_keeping_units (
  id uuid primary key,
  did_group_id uuid not null references did_groups,
  setup_price numeric(12, 4) not null,
  monthly_price numeric(12, 4) not null,
  channels_included_count integer not null,
  unique (did_group_id, channels_included_count)
);

create table nanpa_prefixes (
  id uuid primary key,
  country_id uuid not null references countries,
  region_id uuid references regions,
  npa text collate "C" not null,
  nxx text collate "C" not null,
  unique (npa, nxx)
);

-- Which groups sell numbers under an NPA-NXX.
create table did_group_nanpa_prefixes (
  did_group_id uuid not null references did_groups,
  nanpa_prefix_id uuid not null references nanpa_prefixes,
  primary key (did_group_id, nanpa_prefix_id)
);
create index did_group_nanpa_prefixes_prefix on did_group_nanpa_prefixes (nanpa_prefix_id);

-- The version of the reference data: another one after every change of the catalogue, part of the transaction that
-- makes it. Processes keep ready responses of reference data and compare this before they send one. Random, so that a
-- database that lost its last commits in a failover never repeats a version that some process has seen.
create table catalogue_version (
  only_row boolean primary key default true check (only_row),
  version uuid not null
);
insert into catalogue_version (version) values (gen_random_uuid());

-- One row per number that can be bought. Selling a number deletes its row here.
create table available_dids (
  id uuid primary key default gen_random_uuid(),
  number text collate "C" not null unique check (number ~ '^[1-9][0-9]{5,14}$'),
  -- Both exist because stock_blocks refers to them: checked once per block there, not once per number here, which
  -- halves the time of an import.
  did_group_id uuid not null,
  nanpa_prefix_id uuid
);

-- The stock, counted by thousands-blocks: base is the number without its last three digits, bits says which of the
-- thousand are in available_dids. Counting, deep pages and number_contains read this small table (docs/paging.md).
create table stock_blocks (
  -- Fixed-width columns first: number_contains reads these two of every block.
  available integer not null check (available >= 0),
  -- The base's last three digits as a number: the cheapest test of what a base ends with.
  tail smallint not null generated always as (right(base, 3)::smallint) stored,
  did_group_id uuid not null references did_groups,
  base text collate "C" not null,
  bits bit(1000) not null,
  nanpa_prefix_id uuid references nanpa_prefixes,
  primary key (base, did_group_id)
);
create index stock_blocks_group on stock_blocks (did_group_id, base);
create index stock_blocks_tail on stock_blocks (tail);

-- A shelf is ten thousands-blocks. Pages without number_contains are found by walking shelves first, then the few
-- blocks of the shelves they touch, so the walk stays short at any stock (docs/paging.md).
--
-- A shelf's count is stock_shelves.available plus what stock_shelf_changes holds for it (stock_shelves_follow).
create table stock_shelves (
  shelf text collate "C" not null,
  did_group_id uuid not null references did_groups,
  nanpa_prefix_id uuid references nanpa_prefixes,
  available integer not null,
  primary key (shelf, did_group_id)
);
create index stock_shelves_group on stock_shelves (did_group_id);

create table stock_shelf_changes (
  shelf text collate "C" not null,
  did_group_id uuid not null,
  change integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index stock_shelf_changes_group on stock_shelf_changes (did_group_id);

-- How many numbers are in stock, in one row for each question that is asked most: of one group, and of the groups whose
-- numbers can be picked in all, in a country, a region and a city. As with shelves, a count is its row plus what
-- stock_shelf_changes holds for its groups: a sale adds one change, which both shelves and counts wait to be folded
-- with, so buyers never wait for each other.
create table stock_counts (
  scope text not null check (scope in ('all', 'country', 'region', 'city', 'group')),
  -- The place or the group; for 'all' the nil UUID.
  id uuid not null,
  available integer not null,
  primary key (scope, id)
);

-- A short hold. It hides the number until expires_at by the environment's clock, job or no job.
create table did_reservations (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  available_did_id uuid not null unique references available_dids on delete cascade,
  number text collate "C" not null,
  did_group_id uuid not null references did_groups,
  description text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index did_reservations_account on did_reservations (account_id);
create index did_reservations_expiry on did_reservations (expires_at);
-- Reserved numbers are taken off the stock of their group wherever it is shown.
create index did_reservations_group on did_reservations (did_group_id);
