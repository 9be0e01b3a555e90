-- A number is registered to somebody by an approved verification or an emergency service. Without both, to nobody; a
-- submission that waits or was rejected registers nothing.
create or replace function dids_registered_to_nobody() returns trigger language plpgsql as $$
begin
  if not exists (select from address_verifications v where v.id = new.address_verification_id and v.status = 'approved')
  then new.identity_id := null;
  end if;
  return new;
end $$;

create or replace trigger dids_registered_to_nobody
  before update of address_verification_id, emergency_calling_service_id on dids
  for each row when (new.identity_id is not null and new.emergency_calling_service_id is null)
  execute function dids_registered_to_nobody();
