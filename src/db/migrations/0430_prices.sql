-- Prices of single customers, and price lists that become valid on a date.

-- What an account pays more or less than the list price. Prices that were set for the account alone stay as they are.
create table price_adjustments (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  product text not null check (product in (
    'number_setup', 'number_monthly', 'channel_setup', 'channel_monthly', 'metered_minute', 'emergency_setup', 'emergency_monthly',
    'termination', 'pstn_forwarding', 'toll_free', 'cnam_lookup', 'verification', 'verification_message')),
  percent numeric(7, 4) check (percent >= -100),
  fixed numeric(12, 4),
  actor text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint price_adjustments_product unique (account_id, product),
  constraint price_adjustments_one_form check ((percent is null) <> (fixed is null))
);

-- A list price as this account pays it; never below zero. Without `decimals` a price in whole cents stays in whole cents.
create function adjusted_price(owner uuid, what text, listed numeric, decimals integer default null) returns numeric
language sql stable as $$
  select coalesce((
    select greatest(0, round(
      case when a.fixed is null then listed * (100 + a.percent) / 100 else listed + a.fixed end,
      coalesce(decimals, case when listed = round(listed, 2) and coalesce(a.fixed, 0) = round(coalesce(a.fixed, 0), 2) then 2 else 4 end)))
    from price_adjustments a where a.account_id = owner and a.product = what and listed is not null), listed)
$$;

-- The rate for a call to a number; no row when there is none. A percentage adjusts both parts of a rate, a fixed amount the
-- price of a minute; a look-up of a name has no minutes, so there it adjusts the fee.
create or replace function voice_rate(wanted text, owner uuid, number text) returns setof voice_rates language sql stable as $$
  select r.id, r.account_id, r.kind, r.prefix,
    case when r.account_id is null and wanted <> 'cnam_lookup' then adjusted_price(owner, wanted, r.per_minute, 6)::numeric(12, 6)
      else r.per_minute end,
    case when r.account_id is null and (wanted = 'cnam_lookup'
        or exists (select from price_adjustments a where a.account_id = owner and a.product = wanted and a.fixed is null))
      then adjusted_price(owner, wanted, r.connection_fee, 4)::numeric(12, 4) else r.connection_fee end,
    r.initial_interval, r.next_interval, r.country, r.network
  from (
    select v.* from voice_rates v
    where v.kind = wanted and (v.account_id is null or v.account_id = owner)
      and v.prefix in (select left(number, n) from generate_series(0, length(number)) n)
    order by v.account_id is null, length(v.prefix) desc limit 1
  ) r
$$;

create or replace view capacity_pools_seen as
  select p.id, p.account_id, p.template_id, t.name, p.renew_date, p.total_channels_count, p.assigned_channels_count,
         t.minimum_limit, t.minimum_qty_per_order,
         adjusted_price(p.account_id, 'channel_setup', t.setup_price)::numeric(12, 4) as setup_price,
         adjusted_price(p.account_id, 'channel_monthly', t.monthly_price)::numeric(12, 4) as monthly_price,
         adjusted_price(p.account_id, 'metered_minute', t.metered_rate, 4)::numeric(12, 4) as metered_rate
  from capacity_pools p join capacity_pool_templates t on t.id = p.template_id;

create or replace view qty_based_pricings as
  select q.id, p.account_id, p.id as capacity_pool_id, q.qty,
         adjusted_price(p.account_id, 'channel_setup', q.setup_price)::numeric(12, 4) as setup_price,
         adjusted_price(p.account_id, 'channel_monthly', q.monthly_price)::numeric(12, 4) as monthly_price
  from capacity_pools p join capacity_pool_template_pricings q on q.template_id = p.template_id;

create table price_lists (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('numbers', 'channels', 'emergency', 'termination', 'pstn_forwarding', 'toll_free',
    'cnam_lookup', 'carrier', 'verifications')),
  -- Rates of calls for one customer only.
  account_id uuid references accounts on delete cascade,
  -- Whose rates these are, for the kind `carrier`.
  carrier_id uuid references carriers on delete cascade,
  valid_from timestamptz not null,
  reason text,
  actor text not null,
  created_at timestamptz not null,
  -- A dry run until then: it only shows the differences.
  confirmed_at timestamptz,
  applied_at timestamptz,
  withdrawn_at timestamptz,
  check ((kind = 'carrier') = (carrier_id is not null)),
  check (account_id is null or kind in ('termination', 'pstn_forwarding', 'toll_free', 'cnam_lookup')),
  check (applied_at is null or confirmed_at is not null),
  check (applied_at is null or withdrawn_at is null)
);
create index price_lists_created on price_lists (created_at);
create index price_lists_account on price_lists (account_id) where account_id is not null;
create index price_lists_carrier on price_lists (carrier_id) where carrier_id is not null;

-- The prices of a list, compared with those that held when it was imported or confirmed.
create table price_list_lines (
  id uuid primary key default gen_random_uuid(),
  price_list_id uuid not null references price_lists on delete cascade,
  -- The line of the file; null for a price that the file leaves out.
  line integer,
  -- What is priced, such as a prefix.
  subject text not null,
  change text not null check (change in ('new', 'changed', 'removed', 'unchanged')),
  before jsonb,
  after jsonb
);
create index price_list_lines_list on price_list_lines (price_list_id, change, subject);
