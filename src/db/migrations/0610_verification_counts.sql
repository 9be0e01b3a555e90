-- The verifications of an account are counted as its other lists are (0580): all, by application and by method, and in ranges of
-- days and minutes. None of these columns ever changes, so an update counts nothing.
create function verification_parts(at timestamptz, application_id uuid, method text) returns text[] language sql stable as $$
  select array['', 'application.id=' || application_id::text, 'delivery_method=' || method] || time_parts(at)
$$;

create function verifications_counted() returns trigger language plpgsql as $$
declare
  added bigint;
begin
  if tg_op = 'INSERT' then
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, 'verifications', verification_parts(created_at, application_id, delivery_method), count(*) from after_rows group by 1, 3;
  else
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, 'verifications', verification_parts(created_at, application_id, delivery_method), -count(*) from before_rows group by 1, 3;
  end if;
  get diagnostics added = row_count;
  perform owned_counts_fold_sometimes(added);
  return null;
end $$;

-- Counts a list anew, for rows that were written without triggers. Writers of the list wait.
create function owned_counts_recount(of_list text) returns void language plpgsql as $$
begin
  execute format('lock table %I in share row exclusive mode', of_list);
  -- The lock of folding: a fold that has read changes must not add them to the new counts.
  perform pg_advisory_xact_lock(7421101);
  delete from owned_count_changes where list = of_list;
  delete from owned_counts where list = of_list;
  if of_list = 'dids' then
    insert into owned_counts (account_id, list, part, entries)
    select account_id, 'dids', p.part, count(*)
    from dids, unnest(did_parts(number, did_group_id, terminated, awaiting_registration, blocked_by_staff, emergency_enabled,
      voice_in_trunk_id, voice_in_trunk_group_id, capacity_pool_id, shared_capacity_group_id)) as p (part)
    where activated_at is not null group by 1, 3;
  elsif of_list = 'orders' then
    insert into owned_counts (account_id, list, part, entries)
    select account_id, 'orders', p.part, count(*) from orders, unnest(order_parts(seq, status)) as p (part) group by 1, 3;
  elsif of_list = 'did_history' then
    insert into owned_counts (account_id, list, part, entries)
    select account_id, 'did_history', p.part, count(*)
    from did_history, unnest(did_history_parts(created_at, action, method)) as p (part) group by 1, 3;
  elsif of_list = 'verifications' then
    insert into owned_counts (account_id, list, part, entries)
    select account_id, 'verifications', p.part, count(*)
    from verifications, unnest(verification_parts(created_at, application_id, delivery_method)) as p (part) group by 1, 3;
  else
    execute format($count$insert into owned_counts (account_id, list, part, entries)
      select r.account_id, %1$L, p.part, count(*) from %1$I r, unnest(array[''] || time_parts(r.created_at)) as p (part)
      where to_jsonb(r) ->> 'hidden_at' is null group by 1, 3$count$, of_list);
  end if;
end $$;

create trigger verifications_counted_insert after insert on verifications
  referencing new table as after_rows for each statement execute function verifications_counted();
create trigger verifications_counted_delete after delete on verifications
  referencing old table as before_rows for each statement execute function verifications_counted();
select owned_counts_recount('verifications');
