-- Open streams of events close with their session, in whichever process they are.
create or replace function tell_session_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'panel_session ' || old.id::text);
  return null;
end $$;

create or replace trigger panel_sessions_changed after delete or update of revoked_at, account_id on panel_sessions
  for each row execute function tell_session_changed();
