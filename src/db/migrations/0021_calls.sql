-- Calls: those that are up, what they were, and what is told about them.

-- A process that carries calls. Its lease is a counter: whoever sees it stand still for long enough by its own
-- monotonic clock may end its calls. So neither an advance of the sandbox's clock nor two machines' different times
-- can take a lease away.
create table voice_workers (
  id uuid primary key,
  beat bigint not null default 0,
  -- By the environment's clock: the last moment its calls are known to have been up.
  seen_at timestamptz not null
);

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
  -- The call as src/voice/stored-call.ts writes it: enough to end it from any process.
  call jsonb not null
) with (fillfactor = 70);
create index open_calls_did on open_calls (did_id) where did_id is not null;
create index open_calls_capacity_group on open_calls (shared_capacity_group_id, channel)
  where shared_capacity_group_id is not null;
create index open_calls_trunk on open_calls (trunk_id);
create index open_calls_trunk_group on open_calls (trunk_group_id) where trunk_group_id is not null;
create index open_calls_worker on open_calls (worker_id);

-- Locks what a call is about to count, in one order for everybody, and counts it. A volatile function sees, after its
-- locks, what others have committed before letting them go; a plain statement would count as of its own beginning.
-- Null stands for what has no limit and need not be counted.
create function voice_channels_in_use(did uuid, capacity_group uuid, trunk_group uuid, trunks uuid[])
returns table (number_total int, included int, dedicated int, shared int, metered int, in_group int, by_trunk jsonb)
language plpgsql volatile as $$
declare
  trunk uuid;
begin
  if did is not null then
    perform pg_advisory_xact_lock(7421031, hashtext(did::text));
  end if;
  if capacity_group is not null then
    perform pg_advisory_xact_lock(7421032, hashtext(capacity_group::text));
  end if;
  if trunk_group is not null then
    perform pg_advisory_xact_lock(7421033, hashtext(trunk_group::text));
  end if;
  for trunk in select distinct t from unnest(trunks) t order by t loop
    perform pg_advisory_xact_lock(7421034, hashtext(trunk::text));
  end loop;
  select count(*), count(*) filter (where o.channel = 'included'), count(*) filter (where o.channel = 'dedicated')
    into number_total, included, dedicated from open_calls o where o.did_id = did;
  select count(*) into shared from open_calls o where o.shared_capacity_group_id = capacity_group and o.channel = 'shared';
  select count(*) into metered from open_calls o where o.shared_capacity_group_id = capacity_group and o.channel = 'metered';
  select count(*) into in_group from open_calls o where o.trunk_group_id = trunk_group;
  select coalesce(jsonb_object_agg(x.trunk_id, x.n), '{}') into by_trunk
    from (select o.trunk_id, count(*) as n from open_calls o where o.trunk_id = any(trunks) group by 1) x;
  return next;
end $$;

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
  leg_call_id text
) partition by range (time_start);
create index cdrs_in_account on cdrs_in (account_id, time_start);
-- A call has one end only.
create unique index cdrs_in_attempt on cdrs_in (call_id, attempt, time_start);

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
  leg_call_id text
) partition by range (time_start);
create index cdrs_out_account on cdrs_out (account_id, time_start);
create index cdrs_out_trunk on cdrs_out (voice_out_trunk_id, time_start);
create unique index cdrs_out_call on cdrs_out (call_id, time_start);

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
create function tell_call_event_stream_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'account ' || coalesce(new.account_id, old.account_id)::text);
  return null;
end $$;
create trigger call_event_streams_changed after insert or delete or update on call_event_streams
  for each row execute function tell_call_event_stream_changed();

-- Events on their way and, once delivered or given up, the log of them. `due_at` is set while an event is on its way.
create sequence call_event_ids;
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
