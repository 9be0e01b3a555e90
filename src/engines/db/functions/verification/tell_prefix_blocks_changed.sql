-- Tells processes that keep them that the blocks of prefixes have changed.
create or replace function tell_prefix_blocks_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'prefix_blocks 1');
  return null;
end $$;

create or replace trigger prefix_blocks_changed after insert or update or delete on prefix_blocks
  for each statement execute function tell_prefix_blocks_changed();
