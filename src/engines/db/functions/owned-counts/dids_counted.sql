-- Counts numbers. One that its order has only set aside is in no list. A statement that adds very many numbers (an
-- import) writes one change for each part instead of one for each combination of parts: numbers of a thousand groups in
-- a thousand ranges would be a million changes.
create or replace function dids_counted() returns trigger language plpgsql as $$
declare
  added bigint;
begin
  if tg_op = 'INSERT' then
    if (select count(*) from (select from after_rows limit 1001) few) > 1000 then
      insert into owned_count_changes (account_id, list, parts, change)
      select account_id, 'dids', array[p.part], count(*)
      from after_rows, unnest(did_parts(number, did_group_id, terminated, awaiting_registration, blocked_by_staff, emergency_enabled,
        voice_in_trunk_id, voice_in_trunk_group_id, capacity_pool_id, shared_capacity_group_id)) as p (part)
      where activated_at is not null group by account_id, p.part;
    else
      insert into owned_count_changes (account_id, list, parts, change)
      select account_id, 'dids', did_parts(number, did_group_id, terminated, awaiting_registration, blocked_by_staff, emergency_enabled,
        voice_in_trunk_id, voice_in_trunk_group_id, capacity_pool_id, shared_capacity_group_id), count(*)
      from after_rows where activated_at is not null group by 1, 3;
    end if;
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

create or replace trigger dids_counted_insert after insert on dids
  referencing new table as after_rows for each statement execute function dids_counted();
create or replace trigger dids_counted_update after update on dids
  referencing old table as before_rows new table as after_rows for each statement execute function dids_counted();
create or replace trigger dids_counted_delete after delete on dids
  referencing old table as before_rows for each statement execute function dids_counted();
