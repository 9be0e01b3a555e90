-- Tells processes that keep an account's applications that one has changed.
create or replace function tell_otp_application_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'otp_application ' || coalesce(new.key, old.key));
  return null;
end $$;

create or replace trigger otp_applications_changed after update or delete on otp_applications
  for each row execute function tell_otp_application_changed();
