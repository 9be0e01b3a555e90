-- Tells processes that keep an open world that its row has changed.
create or replace function world_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'world ' || coalesce(new.id, old.id));
  return null;
end $$;

create or replace trigger world_changed after insert or delete or update of state, api_key_hash, application_key on worlds
  for each row execute function world_changed();
