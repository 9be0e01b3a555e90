-- A number that is detached while its submission is under review is no part of it any more.
create or replace function dids_left_verification() returns trigger language plpgsql as $$
begin
  delete from address_verification_dids l using address_verifications v
  where l.did_id = old.id and l.address_verification_id = old.address_verification_id
    and v.id = l.address_verification_id and v.status = 'pending';
  return null;
end $$;

create or replace trigger dids_left_verification after update of address_verification_id on dids
  for each row when (old.address_verification_id is not null and new.address_verification_id is null)
  execute function dids_left_verification();
