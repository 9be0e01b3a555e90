-- Keeps shelves, of ten thousands-blocks each, in step with their blocks. It only adds changes, so two buyers never
-- wait for each other's shelf; now and then one of them folds the changes in.
create or replace function stock_shelves_follow() returns trigger language plpgsql as $$
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

create or replace trigger stock_blocks_inserted after insert on stock_blocks
  referencing new table as after_rows for each statement execute function stock_shelves_follow();
create or replace trigger stock_blocks_updated after update on stock_blocks
  referencing old table as before_rows new table as after_rows for each statement execute function stock_shelves_follow();
create or replace trigger stock_blocks_deleted after delete on stock_blocks
  referencing old table as before_rows for each statement execute function stock_shelves_follow();
