-- How many numbers are in stock, in one row for each question that is asked most: of one group, and of the groups whose
-- numbers can be picked in all, in a country, a region and a city. As with shelves, a count is its row plus what
-- stock_shelf_changes holds for its groups: a sale adds one change, which both shelves and counts wait to be folded with, so
-- buyers never wait for each other.
create table stock_counts (
  scope text not null check (scope in ('all', 'country', 'region', 'city', 'group')),
  -- The place or the group; for 'all' the nil UUID.
  id uuid not null,
  available integer not null,
  primary key (scope, id)
);
create index stock_shelf_changes_group on stock_shelf_changes (did_group_id);

-- The counts, other than its own, that a group is part of.
create view stock_count_scopes as
  select g.id as did_group_id, s.scope, s.id
  from did_groups g, lateral (values
    ('all', '00000000-0000-0000-0000-000000000000'::uuid), ('country', g.country_id), ('region', g.region_id), ('city', g.city_id)
  ) as s (scope, id)
  where g.available_dids_enabled and s.id is not null;

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

-- A group that moves, or whose numbers can be picked from now on or no longer, changes the counts of places. Waits for a
-- fold that is under way, and counts the places again from the groups.
create function stock_counts_follow_groups() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7421100);
  delete from stock_counts where scope <> 'group';
  insert into stock_counts (scope, id, available)
  select s.scope, s.id, sum(c.available)::int
  from stock_counts c join stock_count_scopes s on s.did_group_id = c.id where c.scope = 'group'
  group by 1, 2;
  return null;
end $$;
create trigger did_groups_moved after update of available_dids_enabled, country_id, region_id, city_id on did_groups
  for each statement execute function stock_counts_follow_groups();

insert into stock_counts (scope, id, available)
select 'group', did_group_id, sum(available)::int from stock_shelves group by 2;
insert into stock_counts (scope, id, available)
select s.scope, s.id, sum(c.available)::int
from stock_counts c join stock_count_scopes s on s.did_group_id = c.id where c.scope = 'group'
group by 1, 2;
