-- Orders, which also show every charge, and the keys by which a client repeats one safely.

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
  -- The rate of all prices of an order.
  vat_rate numeric(6, 3) not null default 0,
  -- How an order was made, so that the history of its numbers says so: every one said `api3`, also those of the panel.
  -- Null for orders of before, and for processes of the version before this one.
  method text check (method in ('system', 'api2', 'api3', 'staff', 'user_panel', 'mcp')),
  check ((callback_url is null) = (callback_method is null)),
  check ((status = 'pending') = (finished_at is null))
);
create index orders_account on orders (account_id, seq);
create index orders_pending on orders (seq) where status = 'pending';
create index orders_created on orders (created_at, seq);
create index orders_external_reference on orders (external_reference_id) where external_reference_id is not null;
create index orders_status on orders (status, created_at);
create index orders_by_created on orders (account_id, created_at, seq);
create index orders_by_amount on orders (account_id, amount, seq);
create index orders_by_external_reference on orders (account_id, external_reference_id, seq);
create index orders_by_reference on orders (account_id, reference, seq);
create index orders_by_status on orders (account_id, status, seq);

create table order_items (
  order_id uuid not null references orders,
  position integer not null,
  type text not null check (type in ('did_order_items', 'capacity_order_items', 'emergency_order_items',
    'generic_order_items')),
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
  capacity_pool_id uuid references capacity_pools,
  emergency_calling_service_id uuid,
  -- The tax inside nrc and mrc, per unit.
  nrc_vat numeric(12, 4) not null default 0,
  mrc_vat numeric(12, 4) not null default 0,
  -- What was given back of this item: tax included, and the tax in it.
  refunded numeric(18, 4) not null default 0,
  refunded_vat numeric(18, 4) not null default 0,
  check (missing + cardinality(declined) <= qty),
  primary key (order_id, position),
  constraint order_items_tax_within_price check (nrc_vat between 0 and nrc and mrc_vat between 0 and mrc),
  constraint order_items_refund_within_price check (refunded between 0 and qty * (nrc + mrc) and refunded_vat between 0
    and refunded)
);
-- Who waits for stock of a group, found when some arrives.
create index order_items_waiting on order_items (did_group_id, order_id) where missing > 0;

-- The first answer to a POST under /v3 with an Idempotency-Key.
create table idempotency_keys (
  account_id uuid not null references accounts,
  key text not null,
  fingerprint bytea not null,
  -- The document as it was answered; null where 0.1.0 gave the answer.
  answer json,
  created_at timestamptz not null,
  -- Of the record that was made.
  type text not null,
  primary key (account_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
