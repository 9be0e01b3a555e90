-- Tells processes that keep the faults of the environment that one was added or removed.
create or replace function fault_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'fault ' || coalesce(new.account_id, old.account_id));
  return null;
end $$;

create or replace trigger fault_changed after insert or delete on faults for each row execute function fault_changed();
