-- Calls in progress and ended ones, the events about them, their traces, and exports of CDRs.
--
-- Money is a limit while a call is up: each call that costs something holds money of its account ahead of the time it
-- covers (src/business/voice/reservation.ts). `held` of an account, a trunk and a class of destinations is the sum over
-- the rows of open_calls, kept by triggers (open_calls_hold), so that deleting a row gives everything back, whichever
-- process ends the call.

-- One row per call that is up. It holds its channels: what is counted here is in use. Deleting the row ends the call,
-- once, and gives everything back.
create table open_calls (
  id text primary key,
  direction text not null check (direction in ('in', 'out')),
  account_id uuid not null,
  worker_id uuid not null,
  state text not null check (state in ('routed', 'ringing', 'answered')),
  did_id uuid,
  channel text check (channel in ('included', 'dedicated', 'shared', 'metered')),
  shared_capacity_group_id uuid,
  trunk_id uuid not null,
  trunk_group_id uuid,
  time_start timestamptz not null,
  -- The call as src/business/voice/stored-call.ts writes it: enough to end it from any process.
  call jsonb not null,
  held numeric(18, 4) not null default 0,
  -- The class of the destination, if that has a limit for a day.
  risk text
) with (fillfactor = 70);
create index open_calls_did on open_calls (did_id) where did_id is not null;
create index open_calls_capacity_group on open_calls (shared_capacity_group_id, channel)
  where shared_capacity_group_id is not null;
create index open_calls_trunk on open_calls (trunk_id);
create index open_calls_trunk_group on open_calls (trunk_group_id) where trunk_group_id is not null;
create index open_calls_worker on open_calls (worker_id);
create index open_calls_start on open_calls (time_start);

-- Classes of destinations by how often they are used for fraud. A number belongs to the class of its longest prefix;
-- without one it is `standard`.
create table destination_risks (
  id uuid primary key default gen_random_uuid(),
  prefix text not null constraint destination_risks_prefix unique check (prefix ~ '^[0-9]{1,15}$'),
  risk text not null check (risk in ('standard', 'elevated', 'high')),
  note text
);
insert into destination_risks (prefix, risk, note) values
  ('870', 'high', 'Inmarsat'), ('8810', 'high', 'satellite'), ('8811', 'high', 'satellite'), ('8816', 'high', 'Iridium'),
  ('8817', 'high', 'Iridium'), ('8818', 'high', 'Globalstar'), ('8819', 'high', 'Globalstar'),
  ('882', 'high', 'international networks'), ('883', 'high', 'international networks'), ('878', 'high', 'universal personal'),
  ('979', 'high', 'international premium rate'), ('808', 'high', 'international shared cost'),
  ('1900', 'high', 'premium rate'), ('1976', 'high', 'premium rate'),
  ('449', 'high', 'premium rate, United Kingdom'), ('4470', 'high', 'personal numbers, United Kingdom'),
  ('4487', 'elevated', 'service numbers, United Kingdom'), ('4484', 'elevated', 'service numbers, United Kingdom'),
  ('49900', 'high', 'premium rate, Germany'), ('49137', 'high', 'mass calling, Germany'), ('49180', 'elevated', 'shared cost, Germany'),
  ('3389', 'high', 'premium rate, France'), ('3381', 'elevated', 'service numbers, France'),
  ('39899', 'high', 'premium rate, Italy'), ('39892', 'high', 'premium rate, Italy'),
  ('34803', 'high', 'premium rate, Spain'), ('34806', 'high', 'premium rate, Spain'), ('34807', 'high', 'premium rate, Spain'),
  ('31900', 'high', 'premium rate, Netherlands'), ('31906', 'high', 'premium rate, Netherlands'),
  ('31909', 'high', 'premium rate, Netherlands'), ('3290', 'high', 'premium rate, Belgium'),
  ('43900', 'high', 'premium rate, Austria'), ('43930', 'high', 'premium rate, Austria'),
  ('4190', 'high', 'premium rate, Switzerland'), ('487', 'elevated', 'special numbers, Poland'),
  ('4870', 'high', 'premium rate, Poland'), ('37190', 'high', 'premium rate, Latvia'), ('3708', 'elevated', 'special numbers, Lithuania'),
  ('37290', 'high', 'premium rate, Estonia'), ('42090', 'high', 'premium rate, Czechia'), ('6119', 'high', 'premium rate, Australia'),
  ('7809', 'high', 'premium rate, Russia'),
  ('53', 'high', 'Cuba'), ('252', 'high', 'Somalia'), ('232', 'high', 'Sierra Leone'), ('220', 'high', 'Gambia'),
  ('224', 'high', 'Guinea'), ('231', 'high', 'Liberia'), ('235', 'high', 'Chad'), ('236', 'high', 'Central African Republic'),
  ('239', 'high', 'São Tomé and Príncipe'), ('243', 'high', 'DR Congo'), ('245', 'high', 'Guinea-Bissau'), ('246', 'high', 'Diego Garcia'),
  ('247', 'high', 'Ascension'), ('257', 'high', 'Burundi'), ('261', 'high', 'Madagascar'), ('269', 'high', 'Comoros'),
  ('290', 'high', 'Saint Helena'), ('291', 'high', 'Eritrea'), ('500', 'high', 'Falkland Islands'), ('670', 'high', 'Timor-Leste'),
  ('672', 'high', 'Antarctica, Norfolk Island'), ('674', 'high', 'Nauru'), ('675', 'high', 'Papua New Guinea'), ('677', 'high', 'Solomon Islands'),
  ('678', 'high', 'Vanuatu'), ('681', 'high', 'Wallis and Futuna'), ('682', 'high', 'Cook Islands'), ('683', 'high', 'Niue'),
  ('685', 'high', 'Samoa'), ('686', 'high', 'Kiribati'), ('688', 'high', 'Tuvalu'), ('690', 'high', 'Tokelau'), ('692', 'high', 'Marshall Islands'),
  ('850', 'high', 'North Korea'), ('960', 'high', 'Maldives'),
  ('213', 'elevated', 'Algeria'), ('216', 'elevated', 'Tunisia'), ('221', 'elevated', 'Senegal'), ('223', 'elevated', 'Mali'),
  ('226', 'elevated', 'Burkina Faso'), ('228', 'elevated', 'Togo'), ('229', 'elevated', 'Benin'), ('237', 'elevated', 'Cameroon'),
  ('248', 'elevated', 'Seychelles'), ('263', 'elevated', 'Zimbabwe'), ('355', 'elevated', 'Albania'), ('375', 'elevated', 'Belarus'),
  ('381', 'elevated', 'Serbia'), ('383', 'elevated', 'Kosovo'), ('387', 'elevated', 'Bosnia and Herzegovina'),
  ('509', 'elevated', 'Haiti'), ('592', 'elevated', 'Guyana'), ('597', 'elevated', 'Suriname'), ('963', 'elevated', 'Syria'),
  ('967', 'elevated', 'Yemen'), ('970', 'elevated', 'Palestine'), ('992', 'elevated', 'Tajikistan'), ('994', 'elevated', 'Azerbaijan'),
  ('1473', 'elevated', 'Grenada'), ('1649', 'elevated', 'Turks and Caicos'), ('1767', 'elevated', 'Dominica'),
  ('1784', 'elevated', 'Saint Vincent'), ('1876', 'elevated', 'Jamaica'), ('1268', 'elevated', 'Antigua and Barbuda');

-- What an account may spend on a class in a day (UTC), VAT included; null for no limit. The row without an account is
-- for all others.
create table risk_limits (
  id uuid primary key default gen_random_uuid(),
  risk text not null check (risk in ('standard', 'elevated', 'high')),
  account_id uuid references accounts on delete cascade,
  daily_limit numeric(18, 4) check (daily_limit >= 0)
);
create unique index risk_limits_once on risk_limits (risk, coalesce(account_id, '00000000-0000-0000-0000-000000000000'));
insert into risk_limits (risk, daily_limit) values ('standard', null), ('elevated', 100), ('high', 25);

create table risk_spending (
  account_id uuid not null references accounts on delete cascade,
  risk text not null,
  day date not null,
  spent numeric(18, 4) not null default 0,
  held numeric(18, 4) not null default 0,
  primary key (account_id, risk, day)
);

-- The operator's own list of callers' names, by E.164 digits.
create table caller_names (
  id uuid primary key default gen_random_uuid(),
  number text not null constraint caller_names_number unique check (number ~ '^[0-9]{3,15}$'),
  name text not null check (length(name) between 1 and 80)
);

-- What a provider of names has said, null if it knows none, until it is asked again.
create table caller_name_cache (
  number text primary key,
  name text,
  expires_at timestamptz not null
);
create index caller_name_cache_expiry on caller_name_cache (expires_at);

-- One row per attempt, for ever; by month.
create table cdrs_in (
  id uuid not null,
  call_id text not null,
  account_id uuid not null,
  attempt integer not null,
  is_last boolean not null,
  time_start timestamptz not null,
  time_connect timestamptz,
  time_end timestamptz not null,
  success boolean not null,
  src_number text not null,
  src_name text,
  did_number text not null,
  duration integer not null,
  disconnect_code integer not null,
  response text not null,
  disconnect_initiator text not null,
  voice_in_trunk_id uuid,
  voice_in_trunk_name text,
  destination text,
  trunk_group_name text,
  capacity_group_name text,
  toll_free_amount numeric(12, 4) not null default 0,
  pstn_amount numeric(12, 4) not null default 0,
  metered_amount numeric(12, 4) not null default 0,
  cnam_amount numeric(12, 4) not null default 0,
  leg_call_id text,
  -- The carrier that brought an inbound call or took an outbound one, by the name it had then.
  carrier_id uuid,
  carrier_name text,
  -- Who called, as the caller's own logs name the call.
  caller_call_id text,
  user_agent text
) partition by range (time_start);
create index cdrs_in_account on cdrs_in (account_id, time_start);
-- A call has one end only.
create unique index cdrs_in_attempt on cdrs_in (call_id, attempt, time_start);
-- Newest first over all accounts, and by number. `text_pattern_ops` serves equality and the first digits of a number.
create index cdrs_in_time on cdrs_in (time_start);
create index cdrs_in_did on cdrs_in (did_number text_pattern_ops, time_start);
create index cdrs_in_src on cdrs_in (src_number text_pattern_ops, time_start);
create index cdrs_in_code on cdrs_in (disconnect_code, time_start);
-- The page of one call finds it by its id, however many calls there are.
create index cdrs_in_id on cdrs_in (id);

create table cdrs_out (
  id uuid not null,
  call_id text not null,
  account_id uuid not null,
  voice_out_trunk_id uuid not null,
  voice_out_trunk_name text not null,
  time_start timestamptz not null,
  time_connect timestamptz,
  time_end timestamptz not null,
  success boolean not null,
  src_number text not null,
  original_src_number text not null,
  dst_number text not null,
  duration integer not null,
  billing_duration integer not null,
  disconnect_code integer not null,
  disconnect_reason text not null,
  country text,
  network text,
  call_type text not null,
  rate numeric(12, 6),
  price numeric(12, 4) not null default 0,
  p_charge_info text,
  leg_call_id text,
  carrier_id uuid,
  carrier_name text,
  -- For the operator only: what the carrier of the call charges for it, and what is left of the price without VAT. Null
  -- where the carrier has no rate.
  carrier_rate numeric(12, 6),
  carrier_cost numeric(12, 4),
  margin numeric(12, 4),
  user_agent text
) partition by range (time_start);
create index cdrs_out_account on cdrs_out (account_id, time_start);
create index cdrs_out_trunk on cdrs_out (voice_out_trunk_id, time_start);
create unique index cdrs_out_call on cdrs_out (call_id, time_start);
create index cdrs_out_time on cdrs_out (time_start);
create index cdrs_out_src on cdrs_out (src_number text_pattern_ops, time_start);
create index cdrs_out_dst on cdrs_out (dst_number text_pattern_ops, time_start);
create index cdrs_out_code on cdrs_out (disconnect_code, time_start);
create index cdrs_out_carrier on cdrs_out (carrier_id, time_start);
create index cdrs_out_id on cdrs_out (id);

-- Where an account wants its events and CDRs; four streams, each with an endpoint of its own.
create table call_event_streams (
  account_id uuid not null references accounts on delete cascade,
  stream text not null check (stream in ('voice_in_events', 'voice_out_events', 'voice_in_cdr', 'voice_out_cdr')),
  url text not null,
  gzip boolean not null default false,
  username text,
  -- Sealed with the server key: a password, and headers that may carry a token.
  sealed_password text,
  sealed_headers text,
  primary key (account_id, stream)
);

-- Orders the events of all streams.
create sequence call_event_ids;

-- Events on their way and, once delivered or given up, the log of them. `due_at` is set while an event is on its way.
create table call_events (
  id bigint not null default nextval('call_event_ids'),
  account_id uuid not null,
  stream text not null,
  call_id text not null,
  body text not null,
  created_at timestamptz not null,
  due_at timestamptz,
  attempts integer not null default 0,
  delivered_at timestamptz,
  last_attempt_at timestamptz,
  last_status integer,
  last_error text
) partition by range (created_at);
create unique index call_events_id on call_events (id, created_at);
create index call_events_due on call_events (account_id, stream, due_at, id) where due_at is not null;
create index call_events_order on call_events (call_id, id) where due_at is not null;
create index call_events_log on call_events (account_id, created_at);

-- A receiver that fails is asked again by one event at a time; until `retry_at` nothing else of its lane is tried.
create table call_event_lanes (
  account_id uuid not null,
  stream text not null,
  failures integer not null default 0,
  retry_at timestamptz,
  primary key (account_id, stream)
);

-- Recent calls as people look at them when something is wrong: SIP messages of all legs, reasons of decisions, and
-- calls that were refused. Written in batches by the process that carries a call; no call depends on it.
create table call_traces (
  id uuid primary key default gen_random_uuid(),
  -- As in events and CDRs.
  call_id text not null constraint call_traces_call unique,
  -- Null if the called number belongs to nobody.
  account_id uuid,
  direction text not null check (direction in ('in', 'out')),
  src_number text not null,
  dst_number text not null,
  -- Of all attempts, in order; the name is that of the last one.
  trunk_ids uuid[] not null,
  trunk_name text,
  carrier_name text,
  -- SIP Call-IDs: the caller's leg first, then one per attempt.
  leg_call_ids text[] not null,
  -- Of each leg: whether it is the customer's or a carrier's. Customers do not see messages of carriers.
  leg_sides text[] not null,
  state text not null check (state in ('arrived', 'routed', 'ringing', 'answered', 'ended')),
  -- The rule that refused the call.
  refusal text,
  disconnect_code int,
  disconnect_reason text,
  started_at timestamptz not null,
  answered_at timestamptz,
  ended_at timestamptz,
  -- Messages and reasons that were not kept.
  dropped int not null,
  user_agent text
);
create index call_traces_account on call_traces (account_id, started_at desc);
create index call_traces_started on call_traces (started_at desc);
create index call_traces_src on call_traces (src_number);
create index call_traces_dst on call_traces (dst_number);
create index call_traces_legs on call_traces using gin (leg_call_ids);
create index call_traces_trunks on call_traces using gin (trunk_ids);

-- What happened in a call between two writes: a list of messages and reasons, in order.
create table call_trace_parts (
  seq bigint generated always as identity primary key,
  call_id text not null references call_traces (call_id) on delete cascade,
  entries jsonb not null
);
create index call_trace_parts_call on call_trace_parts (call_id, seq);

-- Refused calls, counted: one row per day, rule, source, account and number. A scan is one row.
create table call_refusals (
  id uuid primary key default gen_random_uuid(),
  day date not null,
  direction text not null check (direction in ('in', 'out')),
  -- The rule that did not match, such as unlisted_source, and its text.
  rule text not null,
  disconnect_code int not null,
  disconnect_reason text not null,
  -- An address, an IPv6 /64, empty for a simulated call, or 'others' where there were too many.
  source text not null,
  account_id uuid,
  -- The called number of a call in, if an account owns it; the trunk of a call out; otherwise empty.
  about text not null,
  -- Of the last one.
  src_number text not null,
  dst_number text not null,
  carrier_name text,
  -- The first request, without secrets.
  sample text,
  count bigint not null,
  first_seen timestamptz not null,
  last_seen timestamptz not null,
  constraint call_refusals_key unique nulls not distinct (day, rule, source, account_id, about, direction)
);
create index call_refusals_seen on call_refusals (last_seen desc);
create index call_refusals_account on call_refusals (account_id, last_seen desc);

-- CDR exports: gzip files kept in pieces, so that neither writing nor reading one needs more memory than a piece.
create table exports (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  export_type text not null check (export_type in ('cdr_in', 'cdr_out')),
  filters json not null,
  status text not null default 'pending' check (status in ('pending', 'processing', 'completed')),
  -- The name in the download URL; never the export's id.
  file_name uuid not null unique default gen_random_uuid(),
  callback_url text,
  callback_method text,
  sealed_signing_key text,
  -- The base of the URL that the callback tells.
  base_url text not null,
  external_reference_id text,
  created_at timestamptz not null,
  completed_at timestamptz,
  size bigint,
  checksum text,
  -- The key of the object that holds the bytes; null if they are in export_pieces or stored_file_chunks.
  object_key text,
  -- The version of the interface that asked for it: its callback speaks that.
  api_version text not null default '2026-04-16'
);
create index exports_account on exports (account_id, created_at);

create table export_pieces (
  export_id uuid not null references exports on delete cascade,
  piece integer not null,
  bytes bytea not null,
  primary key (export_id, piece)
);
-- The pieces are compressed already.
alter table export_pieces alter column bytes set storage external;
