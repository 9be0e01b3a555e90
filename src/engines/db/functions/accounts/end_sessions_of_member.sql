-- As end_sessions_of_account, for a member.
create or replace function end_sessions_of_member() returns trigger language plpgsql as $$
begin
  delete from panel_sessions where member_id = new.id and id <> all (kept_with_new_password());
  perform end_access_of_login(id) from panel_logins where member_id = new.id;
  return null;
end $$;

create or replace trigger account_members_password_changed after update of password_hash on account_members
  for each row when (old.password_hash is distinct from new.password_hash) execute function end_sessions_of_member();
