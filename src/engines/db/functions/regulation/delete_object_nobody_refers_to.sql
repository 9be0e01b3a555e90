-- An object that no record refers to any more is deleted by a job of the transaction that let it go: by expiry, by
-- erasing an account, or by an attempt that is made anew.
create or replace function delete_object_nobody_refers_to() returns trigger language plpgsql as $$
begin
  perform queue_job('objects.delete', json_build_object('key', old.object_key), environment_time.now(),
    key => 'object:' || old.object_key);
  return null;
end $$;

create or replace trigger exports_object_deleted after delete on exports
  for each row when (old.object_key is not null) execute function delete_object_nobody_refers_to();
create or replace trigger exports_object_replaced after update of object_key on exports
  for each row when (old.object_key is not null and old.object_key is distinct from new.object_key)
  execute function delete_object_nobody_refers_to();
create or replace trigger stored_files_object_deleted after delete on stored_files
  for each row when (old.object_key is not null) execute function delete_object_nobody_refers_to();
