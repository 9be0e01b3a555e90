-- Adds the changes of owned_count_changes to the counts, unless another process is doing it.
create or replace function owned_counts_fold() returns void language plpgsql as $$
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
