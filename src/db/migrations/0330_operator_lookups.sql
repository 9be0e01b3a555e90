-- What operators look up across all accounts: indexes for the first page of each list, and the log of requests.

-- Newest first over all accounts, and by number. `text_pattern_ops` serves equality and the first digits of a number.
create index cdrs_in_time on cdrs_in (time_start);
create index cdrs_in_did on cdrs_in (did_number text_pattern_ops, time_start);
create index cdrs_in_src on cdrs_in (src_number text_pattern_ops, time_start);
create index cdrs_out_time on cdrs_out (time_start);
create index cdrs_out_src on cdrs_out (src_number text_pattern_ops, time_start);
create index cdrs_out_dst on cdrs_out (dst_number text_pattern_ops, time_start);
create index orders_created on orders (created_at, seq);
create index orders_external_reference on orders (external_reference_id) where external_reference_id is not null;
create index deliveries_created on deliveries (created_at);
create index deliveries_status on deliveries (status, created_at);
create index did_history_created on did_history (created_at);
create index encrypted_files_created on encrypted_files (created_at);
create index ledger_transactions_account_time on ledger_transactions (account_id, created_at);
create index open_calls_start on open_calls (time_start);

-- Numbers in each state that few numbers are in; the conditions are those of src/operator/lookups/numbers.ts.
create index dids_pending on dids (number) where activated_at is null;
create index dids_expired on dids (number) where expired_at is not null;
create index dids_awaiting on dids (number) where awaiting_registration;
create index dids_blocked on dids (number) where blocked_by_staff;
create index dids_terminated on dids (number) where terminated;

-- Search by a part of a number, name or address. Where pg_trgm is missing, or may not be created by this user, the same
-- searches read the whole table.
do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_trgm') then
    create extension if not exists pg_trgm;
    create index dids_number_part on dids using gin (number gin_trgm_ops);
    create index accounts_name_part on accounts using gin (lower(name) gin_trgm_ops);
    create index accounts_email_part on accounts using gin (lower(email) gin_trgm_ops);
    create index orders_reference_part on orders using gin (reference gin_trgm_ops);
  end if;
exception when insufficient_privilege or feature_not_supported or undefined_file then
  raise notice 'pg_trgm is not available: searches by a part of a text read whole tables';
end $$;

-- As ensure_month_partition and drop_month_partitions, by day.
create function ensure_day_partition(parent text, moment timestamptz) returns boolean language plpgsql as $$
declare
  first date := (moment at time zone 'UTC')::date;
  part text := parent || to_char(first, '_YYYY_MM_DD');
begin
  if to_regclass(part) is not null then
    return false;
  end if;
  perform pg_advisory_xact_lock(hashtext('trunkline partition'), hashtext(part));
  if exists (select from pg_class where relname = part) then
    return false;
  end if;
  execute format('create table %I (like %I including defaults including constraints)', part, parent);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part,
    first::timestamp at time zone 'UTC', (first + 1)::timestamp at time zone 'UTC');
  return true;
end $$;

create function drop_day_partitions(parent text, before timestamptz) returns integer language plpgsql as $$
declare
  part text;
  dropped integer := 0;
begin
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(parent)
      and to_date(right(c.relname, 10), 'YYYY_MM_DD') + 1 <= (before at time zone 'UTC')::date
  loop
    execute format('drop table if exists %I', part);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;

-- Requests of the last days. Written in batches by src/server/request-log.ts; whole days are dropped.
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
