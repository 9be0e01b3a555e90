-- A shelf is ten thousands-blocks. Pages without number_contains are found by walking shelves first, then the few blocks
-- of the shelves they touch, so the walk stays short at any stock (docs/paging.md).
--
-- A shelf's count is stock_shelves.available plus what stock_shelf_changes holds for it. Sales only add changes, so two
-- buyers never wait for each other's shelf; now and then one of them folds the changes in, if nobody else is at it.

create table stock_shelves (
  shelf text collate "C" not null,
  did_group_id uuid not null references did_groups,
  nanpa_prefix_id uuid references nanpa_prefixes,
  available integer not null,
  primary key (shelf, did_group_id)
);
create index stock_shelves_group on stock_shelves (did_group_id);

create table stock_shelf_changes (
  shelf text collate "C" not null,
  did_group_id uuid not null,
  change integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

create function stock_shelves_fold() returns void language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(7421100) then
    return;
  end if;
  with folded as (delete from stock_shelf_changes returning *)
  update stock_shelves s set available = s.available + f.change
  from (select shelf, did_group_id, sum(change)::int as change from folded group by 1, 2) f
  where s.shelf = f.shelf and s.did_group_id = f.did_group_id;
end $$;

create function stock_shelves_follow() returns trigger language plpgsql as $$
declare
  touched integer;
begin
  if tg_op = 'INSERT' then
    insert into stock_shelves (shelf, did_group_id, nanpa_prefix_id, available)
    select left(base, -1), did_group_id, (array_agg(nanpa_prefix_id))[1], 0 from after_rows group by 1, 2
    on conflict do nothing;
    insert into stock_shelf_changes select left(base, -1), did_group_id, sum(available) from after_rows group by 1, 2;
  elsif tg_op = 'DELETE' then
    insert into stock_shelf_changes select left(base, -1), did_group_id, -sum(available) from before_rows group by 1, 2;
  else
    insert into stock_shelf_changes
    select left(a.base, -1), a.did_group_id, sum(a.available - b.available)
    from after_rows a join before_rows b on b.base = a.base and b.did_group_id = a.did_group_id
    group by 1, 2;
  end if;
  get diagnostics touched = row_count;
  if touched > 20 or random() < 0.02 then
    perform stock_shelves_fold();
  end if;
  return null;
end $$;

create trigger stock_blocks_inserted after insert on stock_blocks
  referencing new table as after_rows for each statement execute function stock_shelves_follow();
create trigger stock_blocks_updated after update on stock_blocks
  referencing old table as before_rows new table as after_rows for each statement execute function stock_shelves_follow();
create trigger stock_blocks_deleted after delete on stock_blocks
  referencing old table as before_rows for each statement execute function stock_shelves_follow();
