-- The phone verification service: applications, verifications, and what delivers their codes.

create table otp_applications (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  -- Public, opaque, without a colon: it is the user name of Basic and the first half of the signed form.
  key text not null unique check (key <> '' and key !~ ':'),
  sealed_secret text not null,
  name text not null check (name <> ''),
  description text,
  minimum_mode text not null default 'public' check (minimum_mode in ('public', 'basic', 'application')),
  -- Kept as it was written: its path is signed to the letter.
  callback_url text,
  code_timeout integer not null default 300 check (code_timeout between 60 and 600),
  code_length integer not null default 6 check (code_length between 4 and 8),
  -- Sender ids by ISO country, and under "default" for the others.
  senders jsonb not null default '{}',
  -- Starts a day; null leaves it to the operator's general limit.
  daily_limit integer check (daily_limit > 0),
  created_at timestamptz not null,
  deleted_at timestamptz
);
create unique index otp_applications_name on otp_applications (account_id, name) where deleted_at is null;

create table verifications (
  -- Version 7: new rows go to the end of the index, and retention walks it from the beginning.
  id uuid primary key,
  -- The order of creation, also among those of one millisecond.
  seq bigint not null generated always as identity,
  application_id uuid not null,
  account_id uuid not null,
  destination text not null,
  delivery_method text not null check (delivery_method in ('sms', 'callout')),
  -- A pending row past expires_at is expired, and one never dispatched is stale: both are read from the clock.
  status text not null check (status in ('pending', 'verified', 'failed', 'denied')),
  error_code text check ((error_code is null) = (status in ('pending', 'verified'))),
  -- Quoted at the start, VAT included.
  fee numeric(18, 4) not null,
  language text not null,
  app_hash text,
  code_length smallint not null,
  code_timeout smallint not null,
  code_hash bytea,
  wrong_reports smallint not null default 0 check (wrong_reports between 0 and 3),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Set before a code leaves the house, so that no second process sends one for the same record.
  dispatch_started_at timestamptz,
  dispatched_at timestamptz,
  -- When it became final, or will at the latest; retention counts from here.
  final_at timestamptz not null,
  -- Which provider is being asked: after a crash one that knows idempotency keys is asked again, and no other.
  dispatch_provider_id uuid,
  -- Reportable, although nobody knows whether the code was sent; without proof it fails in time.
  dispatch_in_doubt boolean not null default false,
  -- The counters that a start was counted in, so that they can be given back when nothing could be sent.
  counted_in jsonb,
  -- Reports that came while a provider had not yet answered whether it took the code; they cost no attempt, but only so
  -- many of them are compared.
  early_reports smallint not null default 0
) with (fillfactor = 85);
-- No index holds a column that changes, so that dispatch and report touch the row alone.
create index verifications_by_number on verifications (application_id, destination, seq);
-- The panel lists an account's verifications by time. Neither column ever changes, so updates stay within their page.
create index verifications_account on verifications (account_id, created_at);
-- The status of a verification changes, and an ordinary index of it would make every change of the row a new entry in
-- all indexes. A summary of the values in each range of pages does not (from PostgreSQL 16 on), and finds rare states.
create index verifications_status on verifications using brin (status text_bloom_ops) with (pages_per_range = 32, autosummarize = on);
create index verifications_method on verifications (delivery_method, id);

-- One row per application and number that was ever started: the cooldown, and which record a new start supersedes.
create table verification_slots (
  application_id uuid not null,
  destination text not null,
  started_at timestamptz not null,
  verification_id uuid not null,
  superseded_id uuid,
  primary key (application_id, destination)
) with (fillfactor = 85);

-- One row for a start that may cost something; a free one (the whole sandbox) has none.
create table verification_quotes (
  verification_id uuid primary key,
  account_id uuid not null,
  expires_at timestamptz not null,
  vat_rate numeric(6, 3) not null,
  -- Charged when the number is verified.
  fee_net numeric(18, 4) not null,
  fee_vat numeric(18, 4) not null,
  -- Charged when the message has been sent.
  message_net numeric(18, 4) not null,
  message_vat numeric(18, 4) not null,
  message_charged boolean not null default false
) with (fillfactor = 85);
create index verification_quotes_open on verification_quotes (account_id, expires_at);

-- What a verified number costs, by the longest prefix; VAT not included. The sandbox never reads it.
create table verification_rates (
  delivery_method text not null check (delivery_method in ('sms', 'callout')),
  prefix text not null check (prefix ~ '^[0-9]*$'),
  amount numeric(10, 4) not null check (amount >= 0),
  -- A rate is for a verified number, or for every message sent.
  per text not null default 'verification' check (per in ('verification', 'message')),
  primary key (per, delivery_method, prefix)
);
insert into verification_rates (per, delivery_method, prefix, amount) values
  ('verification', 'sms', '', 0.05), ('verification', 'callout', '', 0.05);

create table verification_providers (
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (name <> ''),
  kind text not null check (kind in ('http', 'smpp')),
  settings jsonb not null,
  -- A password or token, sealed with the server key; settings name it as {{SECRET}}.
  sealed_secret text,
  enabled boolean not null default true,
  created_at timestamptz not null,
  -- A provider that does not respond is set aside for a while, by all processes alike.
  failures integer not null default 0,
  set_aside_until timestamptz,
  last_failure text,
  last_failure_at timestamptz,
  -- Authenticates the delivery receipts that the provider sends; sealed with the server key.
  sealed_receipt_secret text
);

create table verification_routes (
  id uuid primary key default gen_random_uuid(),
  delivery_method text not null check (delivery_method in ('sms', 'callout')),
  prefix text not null check (prefix ~ '^[0-9]*$'),
  -- Among routes of the same prefix the lowest goes first.
  priority integer not null default 10,
  provider_id uuid not null references verification_providers on delete cascade,
  unique (delivery_method, prefix, provider_id)
);

-- What providers took and may still report on.
create table verification_sent_messages (
  provider_id uuid not null references verification_providers on delete cascade,
  message_id text not null,
  verification_id uuid not null,
  sent_at timestamptz not null,
  receipt text check (receipt in ('delivered', 'failed')),
  receipt_at timestamptz,
  primary key (provider_id, message_id)
);
create index verification_sent_messages_sent_at on verification_sent_messages using brin (sent_at);

-- Calls that spoke codes, one row per attempt through a carrier: what became of it and what the carrier charges, so
-- that the margin of calls is known. They are no calls of customers and in no CDR of theirs.
create table verification_calls (
  id uuid primary key default gen_random_uuid(),
  -- Not a reference: verifications are removed earlier.
  verification_id uuid not null,
  account_id uuid not null references accounts,
  destination text not null,
  -- What the called party saw; null if it was withheld.
  caller text,
  -- Null if there was no carrier to call through.
  carrier_id uuid,
  carrier_name text,
  -- The Call-ID, to find the call in a trace or at the carrier.
  sip_call_id text,
  started_at timestamptz not null,
  answered_at timestamptz,
  -- Null while the call is under way, and if its process was killed.
  ended_at timestamptz,
  outcome text check (outcome in ('spoken', 'hung_up_early', 'not_answered', 'refused', 'not_placed')),
  sip_code integer,
  reason text,
  -- Without VAT; null if the carrier has no rate for the number.
  cost numeric(20, 4)
);
create index verification_calls_started_at on verification_calls (started_at);
create index verification_calls_account_id on verification_calls (account_id, started_at);

-- The operator's settings that differ from those shipped (src/interfaces/verification/settings.ts).
create table verification_settings (
  only_row boolean primary key default true check (only_row),
  settings jsonb not null default '{}'
);
insert into verification_settings default values;

-- Starts counted per window, for the guards that are switched on.
create table verification_counters (
  guard text not null,
  subject text not null,
  window_start timestamptz not null,
  count integer not null,
  primary key (guard, subject, window_start)
);

-- Starts as the guards count them. A start only adds rows, one for each guard that counts it: no start waits for
-- another one's row. `verification_counters` keeps the sums of rows that were folded into it
-- (src/interfaces/verification/start-counts.ts).
create table verification_start_counts (
  guard text not null,
  subject text not null,
  window_start timestamptz not null,
  id bigint generated always as identity,
  -- 1 for a start; -1 if nothing of it was sent.
  count smallint not null,
  primary key (guard, subject, window_start, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Starts that a guard refused, with its reason, for the operator's eyes.
create table verification_blocked_starts (
  id bigint generated always as identity primary key,
  application_id uuid not null references otp_applications on delete cascade,
  destination text not null,
  delivery_method text not null,
  address text not null,
  reason text not null,
  created_at timestamptz not null
);
create index verification_blocked_starts_newest on verification_blocked_starts (application_id, id);

-- What became of verifications, by the ten minutes in which they were started. A job counts again what may still
-- change, so no request writes here.
create table verification_conversion (
  started timestamptz not null,
  account_id uuid not null references accounts,
  -- The first six digits of the number.
  prefix text not null,
  country text not null,
  delivery_method text not null check (delivery_method in ('sms', 'callout')),
  -- The provider that took the message, or the carrier that carried the call; the nil UUID for neither.
  provider_id uuid not null,
  carrier_id uuid not null,
  starts integer not null,
  -- Given to a provider, or answered by the called party.
  sent integer not null,
  verified integer not null,
  -- Could not be sent.
  failed integer not null,
  -- Sent, and then replaced by a newer start for the same number: it says nothing about the number.
  superseded integer not null,
  -- Sent, and its code can still come back.
  open integer not null,
  -- Milliseconds from the beginning to the end of sending, over all that were sent.
  sending_ms bigint not null,
  primary key (started, prefix, account_id, country, delivery_method, provider_id, carrier_id)
);
create index verification_conversion_prefix on verification_conversion (prefix, started);

-- What is decided about numbers with a prefix. `safe` is never blocked; `monitor` is what would be blocked.
create table prefix_blocks (
  id uuid primary key,
  prefix text not null check (prefix ~ '^[1-9][0-9]{0,14}$'),
  -- Null for every account.
  account_id uuid references accounts,
  mode text not null check (mode in ('monitor', 'block', 'safe')),
  reason text not null,
  -- What was measured, of an automatic one.
  measured jsonb,
  actor text not null,
  created_at timestamptz not null,
  -- Null for ever.
  until timestamptz,
  lifted_at timestamptz,
  lifted_by text,
  lift_reason text
);
create index prefix_blocks_created on prefix_blocks (created_at);
-- One decision at a time for a prefix and an account.
create unique index prefix_blocks_in_force on prefix_blocks (prefix, coalesce(account_id, '00000000-0000-0000-0000-000000000000'))
  where lifted_at is null;

-- Signatures already seen, while the operator refuses replays.
create table verification_used_signatures (
  signature_hash bytea primary key,
  seen_at timestamptz not null
);

-- The sandbox's inbox: what would have been sent. The primary key keeps a record from being sent twice.
create table sandbox_messages (
  id bigint generated always as identity primary key,
  verification_id uuid not null,
  account_id uuid not null,
  destination text not null,
  delivery_method text not null,
  language text not null,
  text text not null,
  code text not null,
  created_at timestamptz not null,
  -- A test may ask for a message that arrives twice. Each copy is still put into the inbox once.
  copy smallint not null default 1,
  constraint sandbox_messages_copy unique (verification_id, copy)
);
create index sandbox_messages_inbox on sandbox_messages (account_id, destination, id);
