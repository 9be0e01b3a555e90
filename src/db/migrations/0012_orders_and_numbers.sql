-- Orders, the numbers they brought, and what happened to those.

create table orders (
  id uuid primary key default gen_random_uuid(),
  seq bigint generated always as identity,
  account_id uuid not null references accounts,
  reference text not null unique check (reference ~ '^[A-Z]{3}-[0-9]{6}$'),
  kind text not null check (kind in ('did', 'capacity', 'emergency', 'generic')),
  description text not null,
  amount numeric(18, 4) not null check (amount >= 0),
  -- Given back for single numbers while it was pending; the rest of the amount is what the customer paid.
  refunded numeric(18, 4) not null default 0 check (refunded between 0 and amount),
  status text not null check (status in ('pending', 'completed', 'canceled')),
  callback_url text,
  callback_method text check (callback_method in ('get', 'post')),
  external_reference_id text check (length(external_reference_id) <= 100),
  -- Signs the callback while the account has no callback secret; kept only where there is a callback.
  sealed_signing_key text,
  created_at timestamptz not null,
  finished_at timestamptz,
  check ((callback_url is null) = (callback_method is null)),
  check ((status = 'pending') = (finished_at is null))
);
create index orders_account on orders (account_id, seq);
create index orders_account_created on orders (account_id, created_at);
create index orders_pending on orders (seq) where status = 'pending';

create table order_items (
  order_id uuid not null references orders,
  position integer not null,
  type text not null check (type in (
    'did_order_items', 'capacity_order_items', 'emergency_order_items', 'generic_order_items')),
  qty integer not null check (qty > 0),
  -- Per unit, VAT included.
  nrc numeric(12, 4) not null check (nrc >= 0),
  mrc numeric(12, 4) not null check (mrc >= 0),
  prorated_mrc boolean not null default false,
  billed_from date,
  billed_to date,
  did_group_id uuid references did_groups,
  sku_id uuid references stock_keeping_units,
  nanpa_prefix_id uuid references nanpa_prefixes,
  billing_cycles_count integer check (billing_cycles_count between 0 and 999),
  -- How many of a number order are still to come from stock that has not arrived yet.
  missing integer not null default 0 check (missing between 0 and qty),
  -- Numbers that were given back while the order was pending: refunded, and not taken for it again.
  declined text[] not null default '{}',
  capacity_pool_id uuid,
  emergency_calling_service_id uuid,
  check (missing + cardinality(declined) <= qty),
  primary key (order_id, position)
);
-- Who waits for stock of a group, found when some arrives.
create index order_items_waiting on order_items (did_group_id, order_id) where missing > 0;

-- A number that was sold. The row goes when the number returns to stock; its history stays.
create table dids (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  number text collate "C" not null unique,
  did_group_id uuid not null references did_groups,
  nanpa_prefix_id uuid references nanpa_prefixes,
  sku_id uuid not null references stock_keeping_units,
  order_id uuid not null references orders,
  order_position integer not null,
  description text,
  awaiting_registration boolean not null default false,
  terminated boolean not null default false,
  -- Switched off by the operator.
  blocked_by_staff boolean not null default false,
  emergency_enabled boolean not null default false,
  capacity_limit integer check (capacity_limit between 1 and 32767),
  channels_included_count integer not null,
  dedicated_channels_count integer not null default 0 check (dedicated_channels_count >= 0),
  billing_cycles_count integer check (billing_cycles_count between 0 and 999),
  capacity_pool_id uuid,
  shared_capacity_group_id uuid,
  voice_in_trunk_id uuid,
  voice_in_trunk_group_id uuid,
  address_verification_id uuid,
  identity_id uuid,
  emergency_calling_service_id uuid,
  emergency_verification_id uuid,
  created_at timestamptz not null,
  -- Null while its order has only set the number aside: nobody sees it yet.
  activated_at timestamptz,
  -- The periods paid so far count from here; expires_at is their end.
  billed_since timestamptz,
  periods integer not null default 0,
  expires_at timestamptz,
  -- Set when the paid time ran out: the start of the 34 days in which it can be restored.
  expired_at timestamptz,
  -- When the clock has to look at it next: renewal, end of aging, end of waiting for registration, removal.
  due_at timestamptz,
  constraint dids_route_is_one check (voice_in_trunk_id is null or voice_in_trunk_group_id is null),
  constraint dids_dedicated_need_pool check (dedicated_channels_count = 0 or capacity_pool_id is not null)
);
create index dids_account on dids (account_id, number) where activated_at is not null;
create index dids_order on dids (order_id);
create index dids_due on dids (due_at) where due_at is not null;
create index dids_pool on dids (capacity_pool_id) where capacity_pool_id is not null;
create index dids_shared_group on dids (shared_capacity_group_id) where shared_capacity_group_id is not null;
create index dids_trunk on dids (voice_in_trunk_id) where voice_in_trunk_id is not null;
create index dids_trunk_group on dids (voice_in_trunk_group_id) where voice_in_trunk_group_id is not null;
create index dids_address_verification on dids (address_verification_id) where address_verification_id is not null;
create index dids_emergency_service on dids (emergency_calling_service_id) where emergency_calling_service_id is not null;
create index dids_identity on dids (identity_id) where identity_id is not null;

-- A number is in stock or sold, never both.
create function available_dids_not_sold() returns trigger language plpgsql as $$
declare
  sold text;
begin
  select d.number into sold from added join dids d on d.number = added.number limit 1;
  if sold is not null then
    raise exception 'the number % is owned and cannot be in stock', sold using errcode = 'exclusion_violation';
  end if;
  return null;
end $$;
create trigger available_dids_not_sold after insert on available_dids
  referencing new table as added for each statement execute function available_dids_not_sold();

create function dids_not_in_stock() returns trigger language plpgsql as $$
declare
  stocked text;
begin
  select a.number into stocked from added join available_dids a on a.number = added.number limit 1;
  if stocked is not null then
    raise exception 'the number % is in stock and cannot be owned', stocked using errcode = 'exclusion_violation';
  end if;
  return null;
end $$;
create trigger dids_not_in_stock after insert on dids
  referencing new table as added for each statement execute function dids_not_in_stock();

-- Takes up to p_qty numbers of a group (and NPA-NXX) out of the stock. Buyers work on different thousands-blocks: each
-- takes a block nobody else has. Only when that is not enough does it start over and wait, block after block in one
-- order, so that nobody waits in a circle and the last number is never missed.
create function take_stock(
  p_group uuid, p_prefix uuid, p_qty integer, p_now timestamptz, p_declined text[] default '{}')
returns table (number text, nanpa_prefix_id uuid) language plpgsql as $$
#variable_conflict use_column
declare
  taken uuid[] := '{}';
begin
  begin
    taken := pick_stock(p_group, p_prefix, p_qty, p_now, p_declined, false);
    if cardinality(taken) < p_qty and exists (
      select 1 from stock_blocks b
      where b.did_group_id = p_group and (p_prefix is null or b.nanpa_prefix_id = p_prefix)
    ) then
      raise exception using errcode = 'lock_not_available';
    end if;
  exception when lock_not_available then
    taken := pick_stock(p_group, p_prefix, p_qty, p_now, p_declined, true);
  end;
  return query delete from available_dids a where a.id = any (taken) returning a.number, a.nanpa_prefix_id;
end $$;

create function pick_stock(
  p_group uuid, p_prefix uuid, p_qty integer, p_now timestamptz, p_declined text[], p_wait boolean)
returns uuid[] language plpgsql as $$
declare
  block record;
  picked uuid[] := '{}';
  last_base text collate "C" := '';
begin
  while cardinality(picked) < p_qty loop
    if p_wait then
      select b.base into block from stock_blocks b
        where b.did_group_id = p_group and b.base > last_base and (p_prefix is null or b.nanpa_prefix_id = p_prefix)
        order by b.base limit 1 for update;
    else
      select b.base into block from stock_blocks b
        where b.did_group_id = p_group and b.base > last_base and (p_prefix is null or b.nanpa_prefix_id = p_prefix)
        order by b.base limit 1 for update skip locked;
    end if;
    exit when not found;
    last_base := block.base;
    picked := picked || array(
      select a.id from available_dids a
      where a.number between block.base || '000' and block.base || '999'
        and left(a.number, -3) = block.base and a.did_group_id = p_group
        and (p_prefix is null or a.nanpa_prefix_id = p_prefix)
        and a.number <> all (p_declined)
        and not exists (select 1 from did_reservations r where r.available_did_id = a.id and r.expires_at > p_now)
      order by a.number limit p_qty - cardinality(picked)
      for update of a skip locked);
  end loop;
  return picked;
end $$;

-- Whatever brings stock, waiting orders are looked at once it has been committed. Always, and not only when somebody
-- waits: an order that is being written at the same moment cannot be seen from here.
create function available_dids_arrived() returns trigger language plpgsql as $$
begin
  perform graphile_worker.add_job('orders.stock_arrived', json_build_object(), run_at => environment_time.now());
  return null;
end $$;
create trigger available_dids_arrived after insert on available_dids
  for each statement execute function available_dids_arrived();

-- What happened to numbers; shown for 90 days, dropped by month.
create table did_history (
  id uuid not null default gen_random_uuid(),
  account_id uuid not null,
  did_number text not null,
  action text not null check (action in (
    'assigned', 'renewed', 'canceled', 'removed', 'billing_cycles_count_changed', 'restored')),
  method text not null check (method in ('system', 'api2', 'api3', 'staff', 'user_panel', 'mcp')),
  value_from text,
  value_to text,
  created_at timestamptz not null
) partition by range (created_at);
create index did_history_account on did_history (account_id, created_at);
create index did_history_id on did_history (id);

-- The first answer to a POST /orders with an Idempotency-Key.
create table idempotency_keys (
  account_id uuid not null references accounts,
  key text not null,
  fingerprint bytea not null,
  order_id uuid not null references orders,
  -- The document as it was answered; null for a moment, and for ever if the process died in it.
  answer json,
  created_at timestamptz not null,
  primary key (account_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
