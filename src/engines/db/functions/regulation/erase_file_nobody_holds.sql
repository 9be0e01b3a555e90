-- A file that nobody holds any more is erased in the transaction that let it go. Whoever lets one go locks it first, so
-- of two that go at the same moment the second sees that it was the last.
create or replace function erase_file_nobody_holds() returns trigger language plpgsql as $$
begin
  perform from stored_files where id = old.stored_file_id for update;
  delete from stored_files s where s.id = old.stored_file_id
    and not exists (select from kept_files k where k.stored_file_id = s.id)
    and not exists (select from encrypted_files e where e.stored_file_id = s.id);
  return null;
end $$;

create or replace trigger kept_files_let_go after delete on kept_files
  for each row execute function erase_file_nobody_holds();
create or replace trigger encrypted_files_let_go after delete on encrypted_files
  for each row execute function erase_file_nobody_holds();
