-- What is sold: coverage, groups and their offers, and the numbers in stock.

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

create function stock_blocks_add() returns trigger language plpgsql as $$
declare
  refused text;
begin
  with blocks as (
    select left(number, -3) as base, did_group_id, nanpa_prefix_id, count(*)::int as available,
           bit_or(set_bit(B'0'::bit(1000), right(number, 3)::int, 1)) as bits
    from added group by 1, 2, 3
  ), written as (
    insert into stock_blocks as b (base, did_group_id, nanpa_prefix_id, available, bits)
    select base, did_group_id, nanpa_prefix_id, available, bits from blocks order by 1, 2
    on conflict (base, did_group_id) do update
      set available = b.available + excluded.available, bits = b.bits | excluded.bits
      where b.nanpa_prefix_id is not distinct from excluded.nanpa_prefix_id
    returning b.base, b.did_group_id
  )
  select blocks.base into refused
  from blocks left join written using (base, did_group_id) where written.base is null limit 1;
  if refused is not null then
    raise exception 'numbers of the block % have another NANPA prefix than those in stock', refused;
  end if;
  return null;
end $$;

-- Blocks without a number are dropped, so that an order never has to step over what was sold long ago.
create function stock_blocks_remove() returns trigger language plpgsql as $$
declare
  emptied text[];
begin
  -- Rows are locked in one order, so that two orders never wait for each other in a circle.
  perform 1 from stock_blocks b
    join (select distinct left(number, -3) as base, did_group_id from removed) r using (base, did_group_id)
    order by b.base, b.did_group_id for update of b;
  update stock_blocks b
    set available = b.available - r.n, bits = b.bits & ~r.bits
  from (
    select left(number, -3) as base, did_group_id, count(*)::int as n,
           bit_or(set_bit(B'0'::bit(1000), right(number, 3)::int, 1)) as bits
    from removed group by 1, 2
  ) r
  where b.base = r.base and b.did_group_id = r.did_group_id;
  select array_agg(b.base) into emptied
  from stock_blocks b join (select distinct left(number, -3) as base, did_group_id from removed) r using (base, did_group_id)
  where b.available = 0;
  if emptied is not null then
    delete from stock_blocks b using (select distinct did_group_id from removed) r
    where b.base = any (emptied) and b.did_group_id = r.did_group_id and b.available = 0;
  end if;
  return null;
end $$;

create trigger available_dids_added after insert on available_dids
  referencing new table as added for each statement execute function stock_blocks_add();
create trigger available_dids_removed after delete on available_dids
  referencing old table as removed for each statement execute function stock_blocks_remove();

-- A number's place in the stock never changes; it is taken out and put in.
create function available_dids_never_move() returns trigger language plpgsql as $$
begin
  raise exception 'available_dids rows are inserted and deleted, never updated';
end $$;
create trigger available_dids_fixed before update on available_dids
  for each row execute function available_dids_never_move();

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
