-- The pool's row is the one place where channels are counted: whoever assigns some locks it, and the check decides.
create or replace function assign_channels(pool uuid, channels integer) returns void language sql as $$
  update capacity_pools set assigned_channels_count = assigned_channels_count + channels
  where id = pool and channels <> 0
$$;
