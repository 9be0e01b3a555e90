-- Numbers of suppliers: which are shown, and what becomes of each that is bought.

-- Numbers in stock (available_dids) that are a supplier's. Read from there when somebody asks for its group, and shown
-- for some minutes. A number that leaves the stock in another way than by a sale leaves a row that the next sweep drops.
create table supplied_numbers (
  number text collate "C" primary key,
  supplier_group_id uuid not null references supplier_groups on delete cascade,
  -- The id of the number there.
  their_id text not null,
  -- When the supplier named it last.
  seen_at timestamptz not null
);
create index supplied_numbers_group on supplied_numbers (supplier_group_id, seen_at);
create index supplied_numbers_seen on supplied_numbers (seen_at);

-- Of their stock, what is not in ours: what is shown and what is counted are one number together.
alter table supplier_groups
  add column unshown integer not null default 0 check (unshown >= 0),
  -- When its numbers were read last.
  add column looked_at timestamptz;

-- What is bought at a supplier, step by step (src/business/suppliers/purchases/states.ts): one number, or so many of a
-- group that nobody can choose. Its id is the key of everything that is asked for there, so nothing is asked for twice.
create table supplier_purchases (
  id uuid primary key default gen_random_uuid(),
  supplier_id uuid not null references suppliers,
  supplier_group_id uuid references supplier_groups on delete set null,
  -- Null while a customer only reserves the number.
  order_id uuid references orders,
  order_position integer,
  -- Null for numbers that the supplier chooses.
  number text collate "C",
  qty integer not null default 1 check (qty > 0),
  -- The offer there, and the id of the number.
  their_offer_id text,
  their_number_id text,
  allows_back_order boolean not null default false,
  state text not null check (state in ('reserving', 'reserved', 'ordering', 'ordered', 'obtained', 'delivered', 'refused',
    'undoing', 'undone')),
  -- How often the request of this state was begun: from the second time on its outcome is looked up first.
  begun integer not null default 0,
  -- Each reservation of the same purchase has a key of its own.
  round integer not null default 0,
  their_reservation_id text,
  reserved_until timestamptz,
  their_order_id text,
  -- What it costs there in all, without the months that follow.
  amount numeric(18, 4),
  -- Of a number that is ours there.
  their_did_id text,
  -- How it is to go on there, as ours does, and how it does: renewed, until the end of its period, or ended.
  life text not null default 'renews' check (life in ('renews', 'ends', 'stops')),
  life_there text not null default 'renews' check (life_there in ('renews', 'ends', 'stops')),
  -- Whether the supplier lets no calls through; ours is blocked meanwhile.
  blocked_there boolean not null default false,
  expires_there timestamptz,
  -- When it was last found there.
  found_at timestamptz,
  -- Why it was refused, or what keeps it waiting.
  reason text,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  check ((order_id is null) = (order_position is null)),
  check (number is not null or order_id is not null)
);
-- A number is bought, or held, once at a time.
create unique index supplier_purchases_number on supplier_purchases (number)
  where number is not null and state in ('reserving', 'reserved', 'ordering', 'ordered', 'obtained');
create index supplier_purchases_undone on supplier_purchases (number) where state = 'undoing';
create index supplier_purchases_order on supplier_purchases (order_id) where order_id is not null;
create index supplier_purchases_state on supplier_purchases (supplier_id, state, changed_at);
create index supplier_purchases_group on supplier_purchases (supplier_group_id);

-- Where what a supplier holds for us and what is sold here differ, as it was found last.
create table supplier_differences (
  id uuid primary key default gen_random_uuid(),
  supplier_id uuid not null references suppliers on delete cascade,
  -- `not_here`: held there, and nobody here has it. `not_there`: a customer has it, and the supplier does not.
  kind text not null check (kind in ('not_here', 'not_there')),
  number text collate "C" not null,
  their_did_id text,
  purchase_id uuid references supplier_purchases on delete cascade,
  found_at timestamptz not null,
  constraint supplier_differences_once unique (supplier_id, number)
);

-- What an order may do when a supplier does not have the number that was taken for it.
alter table order_items
  -- Somebody has chosen this number: another is not what was ordered.
  add column is_chosen boolean not null default false,
  -- It may wait for stock that has not arrived yet.
  add column may_wait boolean not null default true;

-- Why an order was canceled by the platform.
alter table orders add column canceled_because text;
