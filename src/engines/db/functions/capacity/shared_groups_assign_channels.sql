-- Counts the channels of shared groups in their pool.
create or replace function shared_groups_assign_channels() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    perform assign_channels(old.capacity_pool_id, -old.shared_channels_count);
  end if;
  if tg_op <> 'DELETE' then
    perform assign_channels(new.capacity_pool_id, new.shared_channels_count);
  end if;
  return null;
end $$;

create or replace trigger shared_groups_channels after insert or delete or update of capacity_pool_id, shared_channels_count
  on shared_capacity_groups for each row execute function shared_groups_assign_channels();
