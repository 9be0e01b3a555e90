-- Recent calls as people look at them when something is wrong: SIP messages of all legs, reasons of decisions, and calls
-- that were refused. Written in batches by the process that carries a call; no call depends on it.

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
  dropped int not null
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
