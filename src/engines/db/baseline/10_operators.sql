-- Who runs the environment, what they did, and what they work with: money, prices, stock, notes.

-- The people and programs that run this environment, with keys for /operator/v1.
create table operators (
  id uuid primary key default gen_random_uuid(),
  -- The login of the panel.
  email text not null,
  password_hash text,
  role text not null check (role in ('owner', 'support', 'finance', 'reviewer', 'read-only')),
  created_at timestamptz not null
);
create unique index operators_email on operators (lower(email));

create table operator_keys (
  id uuid primary key default gen_random_uuid(),
  operator_id uuid not null references operators on delete cascade,
  name text not null,
  key_hash bytea not null unique,
  prefix text not null,
  allowed_ips cidr[] not null default '{}',
  created_at timestamptz not null,
  revoked_at timestamptz,
  -- At most a minute old; see src/interfaces/operator/authenticate.ts.
  last_used_at timestamptz
);
create index operator_keys_operator on operator_keys (operator_id);

-- Every person's look into a file, and every decision of a reviewer. Never changed, never deleted.
create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  account_id uuid,
  subject_type text not null,
  -- Text: jobs have numbers, not UUIDs.
  subject_id text not null,
  details jsonb not null default '{}',
  -- The audit log holds every act of an operator: who, from where, what, before and after, why.
  -- The id that /operator/v1 shows; `id` keeps the order.
  uid uuid not null default gen_random_uuid(),
  operator_id uuid,
  -- The client's address, or the way that has none: 'command line', 'bootstrap file'.
  source text,
  reason text,
  before jsonb,
  after jsonb
);
create index audit_log_subject on audit_log (subject_type, subject_id);
create unique index audit_log_uid on audit_log (uid);
create index audit_log_at on audit_log (at desc, id desc);
create index audit_log_account on audit_log (account_id, at desc, id desc) where account_id is not null;
create index audit_log_actor on audit_log (actor, at desc, id desc);
create index audit_log_action on audit_log (action, at desc, id desc);

-- Corrections of a balance by an operator. The ledger has the movement, with the adjustment's id as its reference.
create table adjustments (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  kind text not null check (kind in ('credit', 'debit')),
  amount numeric(18, 4) not null check (amount > 0),
  -- Why; shown to nobody but operators.
  reason text not null,
  actor text not null,
  created_at timestamptz not null
);
create index adjustments_account on adjustments (account_id, created_at);
create index adjustments_created on adjustments (created_at);

-- What operators did with many jobs or callbacks at once: retried or discarded them, and how many there were.
create table bulk_actions (
  id uuid primary key default gen_random_uuid(),
  subject text not null check (subject in ('jobs', 'deliveries')),
  action text not null check (action in ('retry', 'discard')),
  -- Only jobs of this task, only callbacks of this account; null for all.
  task text,
  account_id uuid references accounts,
  -- Those that fell due (jobs) or were created (callbacks) in this time.
  since timestamptz,
  until timestamptz,
  count integer not null,
  reason text not null,
  actor text not null,
  created_at timestamptz not null
);
create index bulk_actions_created on bulk_actions (created_at);

-- Requests of the last days. Written in batches by src/interfaces/server/request-log.ts; whole days are dropped.
create table api_requests (
  id uuid not null default gen_random_uuid(),
  at timestamptz not null,
  account_id uuid,
  caller_kind text check (caller_kind in ('api_key', 'session', 'application', 'operator')),
  caller_id uuid,
  method text not null,
  -- The pattern of the route; the path itself with numbers and secrets masked. Queries and bodies are not kept.
  route text not null,
  path text not null,
  status integer not null,
  duration_ms integer not null,
  address text not null,
  request_id text not null
) partition by range (at);
create index api_requests_at on api_requests (at);
create index api_requests_account on api_requests (account_id, at) where account_id is not null;
create index api_requests_caller on api_requests (caller_id, at) where caller_id is not null;
-- Written in batches, in the order of time.
create index api_requests_status on api_requests (status, at);
create index api_requests_route on api_requests (route, at);
create index api_requests_method on api_requests (method, at);
create index api_requests_caller_kind on api_requests (caller_kind, at);
create index api_requests_request_id on api_requests (request_id);

create table refunds (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  order_id uuid not null references orders,
  -- The item of the order.
  position integer not null,
  amount numeric(18, 4) not null check (amount > 0),
  vat numeric(18, 4) not null check (vat >= 0),
  reason text not null,
  actor text not null,
  created_at timestamptz not null
);
create index refunds_account on refunds (account_id, created_at);
create index refunds_order on refunds (order_id);
create index refunds_created on refunds (created_at);

-- The last number that was given; an invoice takes the next one in its own transaction, so no number is left out.
create table invoice_numbers (
  only_row boolean primary key default true check (only_row),
  last bigint not null default 0
);
insert into invoice_numbers default values;

create table invoices (
  id uuid primary key default gen_random_uuid(),
  number bigint not null unique,
  account_id uuid not null references accounts,
  month date not null check (extract(day from month) = 1),
  -- The customer as it was named at the time.
  customer text not null,
  net numeric(18, 4) not null,
  vat numeric(18, 4) not null,
  lines jsonb not null,
  actor text not null,
  created_at timestamptz not null,
  constraint invoices_month unique (account_id, month)
);
create index invoices_created on invoices (created_at);

create table ledger_verifications (
  id uuid primary key default gen_random_uuid(),
  checks integer not null,
  -- Checks that found something wrong, with their first violations.
  failed integer not null,
  offences jsonb not null,
  duration_ms integer not null,
  created_at timestamptz not null
);
create index ledger_verifications_created on ledger_verifications (created_at);

-- Personal data of an account that was erased on request: the proof of what went, what stayed, and why.
create table erasures (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  -- What → how many records.
  erased jsonb not null,
  -- What → how many records, and why they must be kept.
  kept jsonb not null,
  reason text not null,
  actor text not null,
  created_at timestamptz not null,
  -- The proof of an erasure lists the files that lay in object storage.
  object_keys text[] not null default '{}',
  constraint erasures_account unique (account_id)
);

-- What an account pays more or less than the list price. Prices that were set for the account alone stay as they are.
create table price_adjustments (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  product text not null check (product in ('number_setup', 'number_monthly', 'channel_setup', 'channel_monthly',
    'metered_minute', 'emergency_setup', 'emergency_monthly', 'termination', 'pstn_forwarding', 'toll_free',
    'cnam_lookup', 'verification', 'verification_message')),
  percent numeric(7, 4) check (percent >= -100),
  fixed numeric(12, 4),
  actor text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint price_adjustments_product unique (account_id, product),
  constraint price_adjustments_one_form check ((percent is null) <> (fixed is null))
);

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

create table stock_actions (
  id uuid primary key,
  action text not null check (action in ('withdraw', 'quarantine', 'release', 'move')),
  -- What was chosen: a group, first digits, or a list of numbers, which is not kept.
  did_group_id uuid references did_groups,
  number_prefix text,
  target_group_id uuid references did_groups,
  until timestamptz,
  -- Numbers of the stock that it reached; those that customers own, which are held when they come back; and the rest.
  count integer not null,
  owned integer not null default 0,
  skipped integer not null default 0,
  reason text not null,
  actor text not null,
  created_at timestamptz not null
);
create index stock_actions_created on stock_actions (created_at);

-- A number that must not be sold. One that a customer owns is held from the moment it would return to stock.
create table held_numbers (
  number text collate "C" primary key check (number ~ '^[1-9][0-9]{5,14}$'),
  did_group_id uuid not null references did_groups,
  nanpa_prefix_id uuid references nanpa_prefixes,
  state text not null check (state in ('withdrawn', 'quarantined')),
  -- Only of a quarantine; null is for ever.
  until timestamptz check (until is null or state = 'quarantined'),
  reason text not null,
  actor text not null,
  created_at timestamptz not null
);
create index held_numbers_until on held_numbers (until) where until is not null;
create index held_numbers_group on held_numbers (did_group_id);
create index held_numbers_created on held_numbers (created_at);

create table catalogue_imports (
  id uuid primary key,
  name text not null,
  dry_run boolean not null,
  status text not null check (status in ('awaiting_content', 'waiting', 'running', 'done', 'failed')),
  size bigint not null default 0,
  -- The upload whose parts are the file.
  upload_id uuid,
  -- Percent of the work, for whoever waits.
  progress integer not null default 0,
  entries integer,
  numbers integer,
  -- The first invalid lines, and how many there are.
  errors jsonb not null default '[]',
  error_count integer not null default 0,
  problem text,
  reason text,
  actor text not null,
  operator_id uuid,
  source text,
  created_at timestamptz not null,
  finished_at timestamptz
);
create index catalogue_imports_created on catalogue_imports (created_at);

-- The file while it waits; removed with the end of the import. An upload that breaks off leaves parts that no import
-- names.
create table catalogue_import_parts (
  import_id uuid not null references catalogue_imports on delete cascade,
  upload_id uuid not null,
  part integer not null,
  content bytea not null,
  primary key (import_id, upload_id, part)
);

create table account_notes (
  id uuid primary key,
  account_id uuid not null references accounts,
  text text not null,
  actor text not null,
  created_at timestamptz not null
);
create index account_notes_account on account_notes (account_id, created_at);

-- Messages and requests that an operator sent to see whether a provider or a carrier works.
create table peer_tests (
  id uuid primary key,
  kind text not null check (kind in ('sms', 'options', 'call')),
  provider_id uuid references verification_providers on delete set null,
  carrier_id uuid references carriers on delete set null,
  -- The name stays when the peer is removed.
  peer text not null,
  destination text,
  status text not null check (status in ('waiting', 'passed', 'failed')),
  result text,
  milliseconds integer,
  actor text not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  sip_code smallint,
  answered boolean,
  ring_milliseconds integer
);
create index peer_tests_created on peer_tests (created_at);
-- Tests of carriers that wait for a process with SIP to ask the carrier (src/business/voice/sip-peers.ts).
create index peer_tests_waiting on peer_tests (carrier_id) where kind = 'options' and status = 'waiting';
-- Calls that are under way, for the limits.
create index peer_tests_calls on peer_tests (created_at) where kind = 'call';
