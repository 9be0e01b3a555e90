-- An account's keys are kept with it: processes that keep the account read it again.
create or replace function tell_api_key_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'account ' || coalesce(new.account_id, old.account_id)::text);
  return null;
end $$;

create or replace trigger api_keys_changed after delete or update on api_keys
  for each row execute function tell_api_key_changed();
