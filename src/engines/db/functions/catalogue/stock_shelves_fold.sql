-- Adds the changes of stock_shelf_changes to the shelves and to the counts (stock_counts), unless another process is
-- doing it.
create or replace function stock_shelves_fold() returns void language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(7421100) then
    return;
  end if;
  with folded as (
    delete from stock_shelf_changes returning shelf, did_group_id, change
  ), shelves as (
    update stock_shelves s set available = s.available + f.change
    from (select shelf, did_group_id, sum(change)::int as change from folded group by 1, 2) f
    where s.shelf = f.shelf and s.did_group_id = f.did_group_id
  ), groups as (
    select did_group_id, sum(change)::int as change from folded group by 1
  )
  insert into stock_counts as c (scope, id, available)
  select scope, id, sum(change)::int
  from (select 'group' as scope, did_group_id as id, change from groups
        union all select s.scope, s.id, change from groups join stock_count_scopes s using (did_group_id)) each
  group by 1, 2
  on conflict (scope, id) do update set available = c.available + excluded.available;
end $$;
