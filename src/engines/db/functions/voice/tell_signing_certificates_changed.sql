-- Tells processes that keep the certificates which sign calls that one has changed.
create or replace function tell_signing_certificates_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'signing_certificates');
  return null;
end $$;

create or replace trigger signing_certificates_changed after insert or delete or update on signing_certificates
  for each statement execute function tell_signing_certificates_changed();
