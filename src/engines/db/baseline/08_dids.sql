-- Numbers that customers own, and what happened to them.

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
  capacity_pool_id uuid references capacity_pools,
  shared_capacity_group_id uuid references shared_capacity_groups,
  voice_in_trunk_id uuid constraint dids_voice_in_trunk references voice_in_trunks,
  voice_in_trunk_group_id uuid constraint dids_voice_in_trunk_group references voice_in_trunk_groups,
  address_verification_id uuid references address_verifications,
  -- Also what keeps an identity from being deleted while a number is registered to it.
  identity_id uuid constraint dids_identity references identities,
  emergency_calling_service_id uuid references emergency_calling_services,
  emergency_verification_id uuid references emergency_verifications,
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
-- Numbers in each state that few numbers are in; the conditions are those of
-- src/interfaces/operator/lookups/numbers.ts.
create index dids_pending on dids (number) where activated_at is null;
create index dids_expired on dids (number) where expired_at is not null;
create index dids_awaiting on dids (number) where awaiting_registration;
create index dids_blocked on dids (number) where blocked_by_staff;
create index dids_terminated on dids (number) where terminated;
create index dids_owner on dids (account_id, number);
create index dids_created on dids (created_at);
create index dids_group on dids (did_group_id);
-- Every order that a list of an account can be asked for has an index that ends with what settles ties: the first page
-- of a million rows then reads fifty of them. Numbers that are set aside for a pending order are in no list and in no
-- such index.
create index dids_by_created on dids (account_id, created_at, id) where activated_at is not null;
create index dids_by_expires on dids (account_id, expires_at, id) where activated_at is not null;
create index dids_by_cycles on dids (account_id, billing_cycles_count, id) where activated_at is not null;
create index dids_by_blocked on dids (account_id, (terminated or awaiting_registration or blocked_by_staff), id) where activated_at is not null;
create index dids_by_awaiting on dids (account_id, awaiting_registration, id) where activated_at is not null;
create index dids_by_terminated on dids (account_id, terminated, id) where activated_at is not null;
create index dids_by_capacity_limit on dids (account_id, capacity_limit, id) where activated_at is not null;
create index dids_by_included on dids (account_id, channels_included_count, id) where activated_at is not null;
create index dids_by_dedicated on dids (account_id, dedicated_channels_count, id) where activated_at is not null;

-- What happened to numbers; shown for 90 days, dropped by month.
create table did_history (
  id uuid not null default gen_random_uuid(),
  account_id uuid not null,
  did_number text not null,
  action text not null check (action in ('assigned', 'renewed', 'canceled', 'removed', 'billing_cycles_count_changed',
    'restored')),
  method text not null check (method in ('system', 'api2', 'api3', 'staff', 'user_panel', 'mcp')),
  value_from text,
  value_to text,
  created_at timestamptz not null
) partition by range (created_at);
create index did_history_id on did_history (id);
-- A call to a number that nobody owns any more is told that it is gone.
create index did_history_number on did_history (did_number);
create index did_history_created on did_history (created_at);
create index did_history_action on did_history (action, created_at);
create index did_history_method on did_history (method, created_at);
create index did_history_account on did_history (account_id, created_at desc, id);
create index did_history_by_action on did_history (account_id, action, created_at desc, id);
