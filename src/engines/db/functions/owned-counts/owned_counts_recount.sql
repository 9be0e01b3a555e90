-- Counts a list anew, for rows that were written without triggers. Writers of the list wait. A list that is not in the
-- table below counts all its rows that are not hidden, by time.
create or replace function owned_counts_recount(of_list text) returns void language plpgsql as $$
declare
  parts text;
  counted text;
begin
  select l.parts, l.counted into parts, counted
  from (values
    ('dids', 'did_parts(r.number, r.did_group_id, r.terminated, r.awaiting_registration, r.blocked_by_staff, r.emergency_enabled,
      r.voice_in_trunk_id, r.voice_in_trunk_group_id, r.capacity_pool_id, r.shared_capacity_group_id)', 'r.activated_at is not null'),
    ('orders', 'order_parts(r.seq, r.status)', 'true'),
    ('did_history', 'did_history_parts(r.created_at, r.action, r.method)', 'true'),
    ('verifications', 'verification_parts(r.created_at, r.application_id, r.delivery_method)', 'true')
  ) as l (list, parts, counted) where l.list = of_list;
  if not found then
    parts := 'array[''''] || time_parts(r.created_at)';
    counted := 'to_jsonb(r) ->> ''hidden_at'' is null';
  end if;
  execute format('lock table %I in share row exclusive mode', of_list);
  -- The lock of folding: a fold that has read changes must not add them to the new counts.
  perform pg_advisory_xact_lock(7421101);
  delete from owned_count_changes where list = of_list;
  delete from owned_counts where list = of_list;
  execute format('insert into owned_counts (account_id, list, part, entries)
    select r.account_id, %1$L, p.part, count(*) from %1$I r, unnest(%2$s) as p (part) where %3$s group by 1, 3', of_list, parts, counted);
end $$;
