-- Channels: pools that every account is given, what is for sale in them, and the groups that share them.

-- What an operator sells: each is one pool in every account.
create table capacity_pool_templates (
  id uuid primary key,
  name text not null unique,
  minimum_limit integer not null check (minimum_limit >= 0),
  minimum_qty_per_order integer not null check (minimum_qty_per_order >= 1),
  setup_price numeric(12, 4) not null check (setup_price >= 0),
  monthly_price numeric(12, 4) not null check (monthly_price >= 0),
  metered_rate numeric(12, 4) not null check (metered_rate >= 0)
);

create table capacity_pool_template_countries (
  template_id uuid not null references capacity_pool_templates on delete cascade,
  country_id uuid not null references countries,
  primary key (template_id, country_id)
);

create table capacity_pool_template_pricings (
  id uuid primary key,
  template_id uuid not null references capacity_pool_templates on delete cascade,
  -- Applies from this many channels on.
  qty integer not null check (qty >= 1),
  setup_price numeric(12, 4) not null check (setup_price >= 0),
  monthly_price numeric(12, 4) not null check (monthly_price >= 0),
  unique (template_id, qty)
);

create table capacity_pools (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  template_id uuid not null references capacity_pool_templates,
  renew_date date not null,
  -- The day of the month it renews on, as far as the month has it.
  renew_day integer not null check (renew_day between 1 and 31),
  total_channels_count integer not null default 0,
  -- Kept by the triggers below: dedicated channels of numbers plus shared channels of groups.
  assigned_channels_count integer not null default 0 check (assigned_channels_count >= 0),
  -- The last renewal could not be paid: its channels carry no calls until one is.
  suspended boolean not null default false,
  unique (account_id, template_id),
  constraint capacity_pools_not_over_assigned check (assigned_channels_count <= total_channels_count)
);

create table shared_capacity_groups (
  id uuid primary key default gen_random_uuid(),
  seq bigint generated always as identity,
  account_id uuid not null references accounts,
  capacity_pool_id uuid not null references capacity_pools,
  name text not null,
  shared_channels_count integer not null default 0 check (shared_channels_count >= 0),
  metered_channels_count integer not null default 0 check (metered_channels_count between 0 and 1000),
  external_reference_id text check (length(external_reference_id) <= 100),
  created_at timestamptz not null,
  constraint shared_capacity_groups_name unique (account_id, name),
  constraint shared_capacity_groups_not_empty check (shared_channels_count + metered_channels_count > 0)
);
create index shared_capacity_groups_pool on shared_capacity_groups (capacity_pool_id);
