-- Suppliers: other platforms whose numbers this one sells at prices of its own.
create table suppliers (
  id uuid primary key default gen_random_uuid(),
  name text not null constraint suppliers_name unique,
  -- The base of its interface; it ends in /v3.
  url text not null,
  -- The key of our account there, sealed with the server key.
  sealed_api_key text not null,
  -- Countries whose numbers are bought there, by ISO code.
  countries text[] not null,
  -- What is added to its prices where no rule says otherwise.
  markup_percent numeric(8, 4) not null,
  -- Whether the operator has said go.
  active boolean not null default false,
  -- How far it is, and why it is no further.
  state text not null default 'new' check (state in ('new', 'reading', 'previewed', 'failed')),
  problem text,
  -- Percent of what the state does.
  progress integer not null default 0,
  -- The reading of its catalogue that is under way, and when the last one was complete.
  reading uuid,
  read_at timestamptz,
  spendable numeric(20, 4),
  checked_at timestamptz,
  -- Nothing is sent before that: it asked for a pause, or it has failed too often in a row.
  set_aside_until timestamptz,
  failures integer not null default 0,
  last_failure text,
  last_failure_at timestamptz,
  created_at timestamptz not null
);

-- Prices for a country, a kind of number or both. The most exact rule that fits is used alone.
create table supplier_price_rules (
  id uuid primary key default gen_random_uuid(),
  supplier_id uuid not null references suppliers on delete cascade,
  country text,
  did_group_type text,
  markup_percent numeric(8, 4) not null,
  setup_added numeric(12, 4) not null default 0,
  monthly_added numeric(12, 4) not null default 0,
  -- Prices are rounded up to a multiple of it; 0 rounds to four decimals.
  rounded_to numeric(12, 4) not null default 0 check (rounded_to >= 0),
  -- What a monthly price is at least above its cost.
  least_margin numeric(12, 4) not null default 0 check (least_margin >= 0),
  constraint supplier_price_rules_once unique nulls not distinct (supplier_id, country, did_group_type)
);

-- What a supplier offers, as it was read last, and which group of ours it is.
create table supplier_groups (
  id uuid primary key default gen_random_uuid(),
  supplier_id uuid not null references suppliers on delete cascade,
  -- The id of the group there.
  their_id text not null,
  country text not null,
  region_iso text,
  region_name text,
  city text,
  did_group_type text not null,
  prefix text collate "C" not null,
  area_name text not null,
  features text[] not null,
  is_metered boolean not null,
  allow_additional_channels boolean not null,
  service_restrictions text,
  available_dids_enabled boolean not null,
  needs_registration boolean not null,
  is_available boolean not null,
  stock integer not null,
  -- Ours that is the same by country, region, city, type, prefix and area.
  did_group_id uuid references did_groups,
  -- Whether its numbers are sold here: not before the operator says so, not when it is withdrawn, nor below its cost.
  on_sale boolean not null default false,
  -- The last reading that found it, and whether a complete one since then did not.
  reading uuid not null,
  withdrawn boolean not null default false,
  constraint supplier_groups_once unique (supplier_id, their_id)
);
create index supplier_groups_group on supplier_groups (did_group_id);
create index supplier_groups_country on supplier_groups (supplier_id, country);

-- The offers of such a group: what they cost there.
create table supplier_offers (
  supplier_group_id uuid not null references supplier_groups on delete cascade,
  channels_included_count integer not null,
  their_id text not null,
  setup_cost numeric(12, 4) not null,
  monthly_cost numeric(12, 4) not null,
  primary key (supplier_group_id, channels_included_count)
);

-- Every request to a supplier of the last days, with its answer. Keys and secrets are blanked.
create table supplier_requests (
  id uuid primary key default gen_random_uuid(),
  supplier_id uuid not null references suppliers on delete cascade,
  at timestamptz not null,
  method text not null,
  path text not null,
  -- Null if nothing was answered.
  status integer,
  outcome text not null check (outcome in ('done', 'refused', 'limited', 'unreached', 'unknown', 'garbage')),
  duration_ms integer not null,
  request text,
  answer text
);
create index supplier_requests_supplier on supplier_requests (supplier_id, at);
create index supplier_requests_at on supplier_requests (at);

-- What this installation calls itself towards its suppliers, and which installations buy from it, as their requests say:
-- together they find a supplier that sells what it buys from us.
alter table environment_state add column installation uuid not null default gen_random_uuid();

create table supply_buyers (
  account_id uuid not null references accounts,
  installation uuid not null,
  seen_at timestamptz not null,
  primary key (account_id, installation)
);
create index supply_buyers_installation on supply_buyers (installation);
