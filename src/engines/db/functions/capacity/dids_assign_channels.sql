-- Counts dedicated channels of numbers in their pool.
create or replace function dids_assign_channels() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.capacity_pool_id is not null then
    perform assign_channels(old.capacity_pool_id, -old.dedicated_channels_count);
  end if;
  if tg_op <> 'DELETE' and new.capacity_pool_id is not null then
    perform assign_channels(new.capacity_pool_id, new.dedicated_channels_count);
  end if;
  return null;
end $$;

create or replace trigger dids_channels_changed after update of capacity_pool_id, dedicated_channels_count on dids
  for each row when (old.capacity_pool_id is distinct from new.capacity_pool_id
                     or old.dedicated_channels_count <> new.dedicated_channels_count)
  execute function dids_assign_channels();
create or replace trigger dids_channels_freed after delete on dids
  for each row when (old.dedicated_channels_count > 0) execute function dids_assign_channels();
create or replace trigger dids_channels_given after insert on dids
  for each row when (new.dedicated_channels_count > 0) execute function dids_assign_channels();
