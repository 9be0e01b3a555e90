-- Channels: pools that every account is given, and the groups that share them.

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

create function give_pool(account accounts, template uuid) returns void language plpgsql as $$
declare
  pool capacity_pools;
begin
  insert into capacity_pools (account_id, template_id, renew_date, renew_day)
  values (account.id, template, (account.created_at at time zone 'UTC' + interval '1 month')::date,
          extract(day from account.created_at at time zone 'UTC')::int)
  on conflict (account_id, template_id) do nothing
  returning * into pool;
  if found then
    perform graphile_worker.add_job('capacity.renew', json_build_object('capacity_pool_id', pool.id),
      run_at => pool.renew_date::timestamp at time zone 'UTC', job_key => 'capacity.renew:' || pool.id);
  end if;
end $$;

create function accounts_get_pools() returns trigger language plpgsql as $$
begin
  perform give_pool(new, t.id) from capacity_pool_templates t;
  return null;
end $$;
create trigger accounts_get_pools after insert on accounts for each row execute function accounts_get_pools();

create function pool_templates_reach_accounts() returns trigger language plpgsql as $$
begin
  perform give_pool(a, new.id) from accounts a;
  return null;
end $$;
create trigger pool_templates_reach_accounts after insert on capacity_pool_templates
  for each row execute function pool_templates_reach_accounts();

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

alter table dids add foreign key (capacity_pool_id) references capacity_pools;
alter table dids add foreign key (shared_capacity_group_id) references shared_capacity_groups;
alter table order_items add foreign key (capacity_pool_id) references capacity_pools;

-- The pool's row is the one place where channels are counted: whoever assigns some locks it, and the check decides.
create function assign_channels(pool uuid, channels integer) returns void language sql as $$
  update capacity_pools set assigned_channels_count = assigned_channels_count + channels
  where id = pool and channels <> 0
$$;

create function dids_assign_channels() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.capacity_pool_id is not null then
    perform assign_channels(old.capacity_pool_id, -old.dedicated_channels_count);
  end if;
  if tg_op <> 'DELETE' and new.capacity_pool_id is not null then
    perform assign_channels(new.capacity_pool_id, new.dedicated_channels_count);
  end if;
  return null;
end $$;
create trigger dids_channels_changed after update of capacity_pool_id, dedicated_channels_count on dids
  for each row when (old.capacity_pool_id is distinct from new.capacity_pool_id
                     or old.dedicated_channels_count <> new.dedicated_channels_count)
  execute function dids_assign_channels();
create trigger dids_channels_freed after delete on dids
  for each row when (old.dedicated_channels_count > 0) execute function dids_assign_channels();
create trigger dids_channels_given after insert on dids
  for each row when (new.dedicated_channels_count > 0) execute function dids_assign_channels();

create function shared_groups_assign_channels() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    perform assign_channels(old.capacity_pool_id, -old.shared_channels_count);
  end if;
  if tg_op <> 'DELETE' then
    perform assign_channels(new.capacity_pool_id, new.shared_channels_count);
  end if;
  return null;
end $$;
create trigger shared_groups_channels after insert or delete or update of capacity_pool_id, shared_channels_count
  on shared_capacity_groups for each row execute function shared_groups_assign_channels();

-- A pool as its account sees it.
create view capacity_pools_seen as
  select p.id, p.account_id, p.template_id, t.name, p.renew_date, p.total_channels_count, p.assigned_channels_count,
         t.minimum_limit, t.minimum_qty_per_order, t.setup_price, t.monthly_price, t.metered_rate
  from capacity_pools p join capacity_pool_templates t on t.id = p.template_id;

create view capacity_pool_countries as
  select p.id as capacity_pool_id, c.country_id
  from capacity_pools p join capacity_pool_template_countries c on c.template_id = p.template_id;

create view qty_based_pricings as
  select q.id, p.account_id, p.id as capacity_pool_id, q.qty, q.setup_price, q.monthly_price
  from capacity_pools p join capacity_pool_template_pricings q on q.template_id = p.template_id;
