-- How many rows each account has in its lists, and where in a list they are: a total, and the way to a deep page, take the same
-- time for ten rows and a million. Triggers keep the counts; code that writes the tables never sees them.
--
-- A count is its row in owned_counts plus what owned_count_changes holds for it, read in one statement: exact at every moment,
-- inside the transaction that changes it too. Writers only add changes, so two orders of an account never wait for each other;
-- now and then one of them folds the changes in, if nobody else is at it (as with stock_shelves).

create table owned_counts (
  account_id uuid not null,
  list text collate "C" not null,
  -- What is counted: '' all rows, 'status=completed' those that a filter selects, '1 999001' and '2 999001002' a coarse and a
  -- fine range of the list's order. The text of a fine range begins with that of its coarse one, and both sort as the list does.
  part text collate "C" not null,
  entries bigint not null,
  primary key (account_id, list, part)
) with (fillfactor = 80);

create table owned_count_changes (
  account_id uuid not null,
  list text collate "C" not null,
  parts text[] collate "C" not null,
  change integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index owned_count_changes_account on owned_count_changes (account_id, list);

create function owned_counts_fold() returns void language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(7421101) then
    return;
  end if;
  with folded as (
    delete from owned_count_changes returning account_id, list, parts, change
  ), summed as (
    select f.account_id, f.list, p.part, sum(f.change) as entries
    from folded f, unnest(f.parts) as p (part) group by 1, 2, 3 having sum(f.change) <> 0
  )
  insert into owned_counts as c (account_id, list, part, entries)
  select account_id, list, part, entries from summed
  on conflict (account_id, list, part) do update set entries = c.entries + excluded.entries;
end $$;

-- Called by the triggers with the number of changes that they have added.
create function owned_counts_fold_sometimes(added bigint) returns void language plpgsql as $$
begin
  if added > 20 or (added > 0 and random() < 0.02) then
    perform owned_counts_fold();
  end if;
end $$;

-- The fine range of a list in which the entry with this position lies (0 is the first), and how many entries come before the
-- range. No row if the list is shorter.
create function owned_range_at(owner uuid, of_list text, position_of bigint, descending boolean)
returns table (range text, before bigint) language plpgsql stable as $$
declare
  coarse text := '';
  level text;
begin
  before := 0;
  foreach level in array array['1 ', '2 '] loop
    select r.range, owned_range_at.before + r.upto - r.entries into range, before
    from (
      select s.range, s.entries,
        sum(s.entries) over (order by case when descending then s.range end desc, case when not descending then s.range end) as upto
      from (
        select substr(e.part, 3) as range, sum(e.entries)::bigint as entries
        from (
          select c.part, c.entries from owned_counts c
          where c.account_id = owner and c.list = of_list and c.part >= level || coarse and c.part < level || coarse || 'z'
          union all
          select p.part, h.change from owned_count_changes h, unnest(h.parts) as p (part)
          where h.account_id = owner and h.list = of_list and p.part >= level || coarse and p.part < level || coarse || 'z'
        ) e group by 1
      ) s where s.entries > 0
    ) r
    where owned_range_at.before + r.upto > position_of
    order by r.upto limit 1;
    if range is null then
      return;
    end if;
    coarse := range;
  end loop;
  return next;
end $$;

-- Numbers: ranges of six and nine digits.
create function did_parts(
  number text, did_group_id uuid, terminated boolean, awaiting boolean, blocked_by_staff boolean, emergency boolean,
  trunk uuid, trunk_group uuid, pool uuid, shared_group uuid)
returns text[] language sql stable as $$
  select array[
    '', '1 ' || left(number, 6), '2 ' || left(number, 9),
    'blocked=' || (terminated or awaiting or blocked_by_staff)::text, 'awaiting_registration=' || awaiting::text,
    'terminated=' || terminated::text, 'emergency_enabled=' || emergency::text, 'did_group.id=' || did_group_id::text,
    'voice_in_trunk.id=' || coalesce(trunk::text, ''), 'voice_in_trunk_group.id=' || coalesce(trunk_group::text, ''),
    'capacity_pool.id=' || coalesce(pool::text, ''), 'shared_capacity_group.id=' || coalesce(shared_group::text, '')]
$$;

-- A number that its order has only set aside is in no list.
create function dids_counted() returns trigger language plpgsql as $$
declare
  added bigint;
begin
  if tg_op = 'INSERT' then
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, 'dids', did_parts(number, did_group_id, terminated, awaiting_registration, blocked_by_staff, emergency_enabled,
      voice_in_trunk_id, voice_in_trunk_group_id, capacity_pool_id, shared_capacity_group_id), count(*)
    from after_rows where activated_at is not null group by 1, 3;
  elsif tg_op = 'DELETE' then
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, 'dids', did_parts(number, did_group_id, terminated, awaiting_registration, blocked_by_staff, emergency_enabled,
      voice_in_trunk_id, voice_in_trunk_group_id, capacity_pool_id, shared_capacity_group_id), -count(*)
    from before_rows where activated_at is not null group by 1, 3;
  else
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, 'dids', did_parts(number, did_group_id, terminated, awaiting_registration, blocked_by_staff, emergency_enabled,
      voice_in_trunk_id, voice_in_trunk_group_id, capacity_pool_id, shared_capacity_group_id), sum(change)
    from (select *, 1 as change from after_rows union all select *, -1 from before_rows) each
    where activated_at is not null group by 1, 3 having sum(change) <> 0;
  end if;
  get diagnostics added = row_count;
  perform owned_counts_fold_sometimes(added);
  return null;
end $$;
create trigger dids_counted_insert after insert on dids
  referencing new table as after_rows for each statement execute function dids_counted();
create trigger dids_counted_update after update on dids
  referencing old table as before_rows new table as after_rows for each statement execute function dids_counted();
create trigger dids_counted_delete after delete on dids
  referencing old table as before_rows for each statement execute function dids_counted();

-- Orders: ranges of a million and of a thousand sequence numbers.
create function order_parts(seq bigint, status text) returns text[] language sql stable as $$
  select array['', '1 ' || lpad((seq / 1000000)::text, 12, '0'), '2 ' || lpad((seq / 1000)::text, 15, '0'), 'status=' || status]
$$;

create function orders_counted() returns trigger language plpgsql as $$
declare
  added bigint;
begin
  if tg_op = 'INSERT' then
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, 'orders', order_parts(seq, status), count(*) from after_rows group by 1, 3;
  elsif tg_op = 'DELETE' then
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, 'orders', order_parts(seq, status), -count(*) from before_rows group by 1, 3;
  else
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, 'orders', order_parts(seq, status), sum(change)
    from (select account_id, seq, status, 1 as change from after_rows
          union all select account_id, seq, status, -1 from before_rows) each
    group by 1, 3 having sum(change) <> 0;
  end if;
  get diagnostics added = row_count;
  perform owned_counts_fold_sometimes(added);
  return null;
end $$;
create trigger orders_counted_insert after insert on orders
  referencing new table as after_rows for each statement execute function orders_counted();
create trigger orders_counted_update after update on orders
  referencing old table as before_rows new table as after_rows for each statement execute function orders_counted();
create trigger orders_counted_delete after delete on orders
  referencing old table as before_rows for each statement execute function orders_counted();

-- Lists in the order of their creation: ranges of days and minutes, in UTC.
create function time_parts(at timestamptz) returns text[] language sql stable as $$
  select array['1 ' || to_char(at at time zone 'UTC', 'YYYY-MM-DD'), '2 ' || to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI')]
$$;

-- The history of numbers: entries are only ever added, and go by months. Those of a day are counted by action and by method.
create function did_history_parts(at timestamptz, action text, method text) returns text[] language sql stable as $$
  select time_parts(at) || array[
    'action=' || action || to_char(at at time zone 'UTC', ' YYYY-MM-DD'), 'method=' || method || to_char(at at time zone 'UTC', ' YYYY-MM-DD')]
$$;

create function did_history_counted() returns trigger language plpgsql as $$
declare
  added bigint;
begin
  insert into owned_count_changes (account_id, list, parts, change)
  select account_id, 'did_history', did_history_parts(created_at, action, method), count(*) from after_rows group by 1, 3;
  get diagnostics added = row_count;
  perform owned_counts_fold_sometimes(added);
  return null;
end $$;
create trigger did_history_counted_insert after insert on did_history
  referencing new table as after_rows for each statement execute function did_history_counted();

-- Any other list. A row with hidden_at is deleted as far as its owner can see.
create function owned_rows_counted() returns trigger language plpgsql as $$
declare
  added bigint;
begin
  if tg_op = 'INSERT' then
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, tg_table_name, array[''] || time_parts(created_at), count(*)
    from after_rows r where to_jsonb(r) ->> 'hidden_at' is null group by 1, 3;
  elsif tg_op = 'DELETE' then
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, tg_table_name, array[''] || time_parts(created_at), -count(*)
    from before_rows r where to_jsonb(r) ->> 'hidden_at' is null group by 1, 3;
  else
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, tg_table_name, array[''] || time_parts(created_at), sum(change)
    from (select account_id, created_at, hidden_at, 1 as change from after_rows
          union all select account_id, created_at, hidden_at, -1 from before_rows) each
    where hidden_at is null group by 1, 3 having sum(change) <> 0;
  end if;
  get diagnostics added = row_count;
  perform owned_counts_fold_sometimes(added);
  return null;
end $$;

do $$
declare
  list text;
begin
  foreach list in array array[
    'exports', 'voice_in_trunks', 'voice_in_trunk_groups', 'voice_out_trunks', 'shared_capacity_groups', 'identities', 'addresses']
  loop
    execute format('create trigger %1$s_counted_insert after insert on %1$I
      referencing new table as after_rows for each statement execute function owned_rows_counted()', list);
    execute format('create trigger %1$s_counted_delete after delete on %1$I
      referencing old table as before_rows for each statement execute function owned_rows_counted()', list);
    if list in ('identities', 'addresses') then
      execute format('create trigger %1$s_counted_update after update on %1$I
        referencing old table as before_rows new table as after_rows for each statement execute function owned_rows_counted()', list);
    end if;
    execute format($count$insert into owned_counts (account_id, list, part, entries)
      select r.account_id, %1$L, p.part, count(*) from %1$I r, unnest(array[''] || time_parts(r.created_at)) as p (part)
      where to_jsonb(r) ->> 'hidden_at' is null group by 1, 3$count$, list);
  end loop;
end $$;
insert into owned_counts (account_id, list, part, entries)
select account_id, 'dids', p.part, count(*)
from dids, unnest(did_parts(number, did_group_id, terminated, awaiting_registration, blocked_by_staff, emergency_enabled,
  voice_in_trunk_id, voice_in_trunk_group_id, capacity_pool_id, shared_capacity_group_id)) as p (part)
where activated_at is not null group by 1, 3;
insert into owned_counts (account_id, list, part, entries)
select account_id, 'orders', p.part, count(*) from orders, unnest(order_parts(seq, status)) as p (part) group by 1, 3;
insert into owned_counts (account_id, list, part, entries)
select account_id, 'did_history', p.part, count(*)
from did_history, unnest(did_history_parts(created_at, action, method)) as p (part) group by 1, 3;
