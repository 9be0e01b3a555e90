-- A new password ends every session of its person, whichever way it was set, and what else opens the login; only what
-- the person chose to keep stays (kept_with_new_password).
create or replace function end_sessions_of_account() returns trigger language plpgsql as $$
begin
  delete from panel_sessions where account_id = new.id and member_id is null and operator_id is null
    and id <> all (kept_with_new_password());
  perform end_access_of_login(id) from panel_logins where account_id = new.id;
  return null;
end $$;

create or replace trigger accounts_password_changed after update of password_hash on accounts
  for each row when (old.password_hash is distinct from new.password_hash) execute function end_sessions_of_account();
