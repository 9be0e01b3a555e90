-- As end_sessions_of_account (room accounts), for an operator.
create or replace function end_sessions_of_operator() returns trigger language plpgsql as $$
begin
  delete from panel_sessions where operator_id = new.id and id <> all (kept_with_new_password());
  perform end_access_of_login(id) from panel_logins where operator_id = new.id;
  return null;
end $$;

create or replace trigger operators_password_changed after update of password_hash on operators
  for each row when (old.password_hash is distinct from new.password_hash) execute function end_sessions_of_operator();
