-- Tells processes that keep the carriers that one has changed.
create or replace function tell_carriers_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'carriers');
  return null;
end $$;

create or replace trigger carriers_changed after insert or delete or update on carriers
  for each statement execute function tell_carriers_changed();
