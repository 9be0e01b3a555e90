-- What goes out: callbacks with their attempts.

-- Tables that grow without end are partitioned by month of the environment's clock. Attaching takes no lock that a
-- reader or writer of the other months would wait for.
create function ensure_month_partition(parent text, moment timestamptz) returns boolean language plpgsql as $$
declare
  first date := date_trunc('month', moment at time zone 'UTC')::date;
  part text := parent || to_char(first, '_YYYY_MM');
begin
  if to_regclass(part) is not null then
    return false;
  end if;
  perform pg_advisory_xact_lock(hashtext('trunkline partition'), hashtext(part));
  -- Not to_regclass again: it remembers "no such table" from before the wait.
  if exists (select from pg_class where relname = part) then
    return false;
  end if;
  execute format('create table %I (like %I including defaults including constraints)', part, parent);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part,
    first::timestamp at time zone 'UTC', (first + interval '1 month') at time zone 'UTC');
  return true;
end $$;

-- Drops the months that ended before the moment; the oldest rows of a table go in one stroke.
create function drop_month_partitions(parent text, before timestamptz) returns integer language plpgsql as $$
declare
  part text;
  dropped integer := 0;
begin
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(parent)
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= before at time zone 'UTC'
  loop
    execute format('drop table %I', part);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;

create table deliveries (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  kind text not null,
  resource_id uuid,
  url text not null,
  method text not null check (method in ('get', 'post', 'json')),
  -- One object, or for `json` a list of entries: what piles up while a receiver fails goes out together.
  payload jsonb not null,
  batch text,
  -- The API key that created the resource signs while the account has no callback secret; sealed with the server key.
  sealed_signing_key text,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed', 'dropped')),
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz
);
create index deliveries_account on deliveries (account_id, created_at desc);
create index deliveries_age on deliveries (finished_at) where finished_at is not null;
create unique index deliveries_batch on deliveries (batch) where batch is not null and status = 'pending';

create table delivery_attempts (
  delivery_id uuid not null,
  attempted_at timestamptz not null,
  attempt integer not null,
  request jsonb not null,
  status integer,
  error text,
  answer text,
  duration_ms integer not null
) partition by range (attempted_at);
create index delivery_attempts_delivery on delivery_attempts (delivery_id, attempted_at);
