-- An operator's keys are kept with the operator.
create or replace function tell_operator_key_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'operator ' || old.operator_id::text);
  return null;
end $$;

-- Not for last_used_at, which changes with use.
create or replace trigger operator_keys_changed after delete or update of allowed_ips, revoked_at on operator_keys
  for each row execute function tell_operator_key_changed();
