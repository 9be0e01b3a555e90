-- Tells processes that keep an operator that it has changed.
create or replace function tell_operator_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'operator ' || old.id::text);
  return null;
end $$;

create or replace trigger operators_changed after delete or update on operators
  for each row execute function tell_operator_changed();
