-- Tells processes that deliver call events that an account's stream has changed.
create or replace function tell_call_event_stream_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'account ' || coalesce(new.account_id, old.account_id)::text);
  return null;
end $$;

create or replace trigger call_event_streams_changed after insert or delete or update on call_event_streams
  for each row execute function tell_call_event_stream_changed();
