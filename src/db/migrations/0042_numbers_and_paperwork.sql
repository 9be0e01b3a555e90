-- Ties numbers to their paperwork, and lets go what a number leaves behind.

alter table address_verification_dids add foreign key (did_id) references dids on delete cascade;
alter table emergency_verification_dids add foreign key (did_id) references dids on delete cascade;
alter table dids add foreign key (address_verification_id) references address_verifications;
-- Also what keeps an identity from being deleted while a number is registered to it.
alter table dids add constraint dids_identity foreign key (identity_id) references identities;
alter table dids add foreign key (emergency_calling_service_id) references emergency_calling_services;
alter table dids add foreign key (emergency_verification_id) references emergency_verifications;
alter table order_items add foreign key (emergency_calling_service_id) references emergency_calling_services;
alter table emergency_calling_services add foreign key (order_id) references orders;

-- A number is registered to somebody by an approved verification or an emergency service. Without both, to nobody; a
-- submission that waits or was rejected registers nothing.
create function dids_registered_to_nobody() returns trigger language plpgsql as $$
begin
  if not exists (select from address_verifications v where v.id = new.address_verification_id and v.status = 'approved')
  then new.identity_id := null;
  end if;
  return new;
end $$;
create trigger dids_registered_to_nobody
  before update of address_verification_id, emergency_calling_service_id on dids
  for each row when (new.identity_id is not null and new.emergency_calling_service_id is null)
  execute function dids_registered_to_nobody();

-- A number that is detached while its submission is under review is no part of it any more.
create function dids_left_verification() returns trigger language plpgsql as $$
begin
  delete from address_verification_dids l using address_verifications v
  where l.did_id = old.id and l.address_verification_id = old.address_verification_id
    and v.id = l.address_verification_id and v.status = 'pending';
  return null;
end $$;
create trigger dids_left_verification after update of address_verification_id on dids
  for each row when (old.address_verification_id is not null and new.address_verification_id is null)
  execute function dids_left_verification();

-- Whichever way a number leaves its emergency service, the service is looked at an hour later: an empty one is cancelled.
create function dids_left_emergency_service() returns trigger language plpgsql as $$
begin
  perform graphile_worker.add_job('emergency.cancel-empty',
    json_build_object('emergency_calling_service_id', old.emergency_calling_service_id),
    run_at => environment_time.now() + interval '1 hour',
    job_key => 'emergency.cancel-empty:' || old.emergency_calling_service_id);
  return null;
end $$;
create trigger dids_left_emergency_service after update of emergency_calling_service_id on dids
  for each row when (old.emergency_calling_service_id is not null
                     and new.emergency_calling_service_id is distinct from old.emergency_calling_service_id)
  execute function dids_left_emergency_service();
create trigger dids_removed_from_emergency_service after delete on dids
  for each row when (old.emergency_calling_service_id is not null)
  execute function dids_left_emergency_service();
