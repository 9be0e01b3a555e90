-- Whichever way a number leaves its emergency service, the service is checked an hour later: an empty one is cancelled.
create or replace function dids_left_emergency_service() returns trigger language plpgsql as $$
begin
  perform queue_job('emergency.cancel_empty',
    json_build_object('emergency_calling_service_id', old.emergency_calling_service_id),
    environment_time.now(), environment_time.now() + interval '1 hour',
    key => 'emergency.cancel_empty:' || old.emergency_calling_service_id);
  return null;
end $$;

create or replace trigger dids_left_emergency_service after update of emergency_calling_service_id on dids
  for each row when (old.emergency_calling_service_id is not null
                     and new.emergency_calling_service_id is distinct from old.emergency_calling_service_id)
  execute function dids_left_emergency_service();
create or replace trigger dids_removed_from_emergency_service after delete on dids
  for each row when (old.emergency_calling_service_id is not null)
  execute function dids_left_emergency_service();
