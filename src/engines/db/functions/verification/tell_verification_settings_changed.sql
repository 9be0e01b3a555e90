-- Tells processes that keep them that settings, providers or routes of the verification service have changed.
create or replace function tell_verification_settings_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'verification_settings');
  return null;
end $$;

create or replace trigger verification_settings_changed after update on verification_settings
  for each statement execute function tell_verification_settings_changed();
create or replace trigger verification_providers_changed after insert or update or delete on verification_providers
  for each statement execute function tell_verification_settings_changed();
create or replace trigger verification_routes_changed after insert or update or delete on verification_routes
  for each statement execute function tell_verification_settings_changed();
