-- A group that moves, or whose numbers can be picked from now on or no longer, changes the counts of places. Waits for
-- a fold that is under way, and counts the places again from the groups.
create or replace function stock_counts_follow_groups() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7421100);
  delete from stock_counts where scope <> 'group';
  insert into stock_counts (scope, id, available)
  select s.scope, s.id, sum(c.available)::int
  from stock_counts c join stock_count_scopes s on s.did_group_id = c.id where c.scope = 'group'
  group by 1, 2;
  return null;
end $$;

create or replace trigger did_groups_moved after update of available_dids_enabled, country_id, region_id, city_id on did_groups
  for each statement execute function stock_counts_follow_groups();
