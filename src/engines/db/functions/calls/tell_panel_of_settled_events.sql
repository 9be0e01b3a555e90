-- Events are settled in batches, so their accounts are told once for each batch. That new ones exist follows from the
-- calls.
create or replace function tell_panel_of_settled_events() returns trigger language plpgsql as $$
begin
  perform tell_panel(account_id, 'call_events', '')
  from (select distinct account_id from settled) accounts;
  return null;
end $$;

create or replace trigger call_events_live after update on call_events
  referencing new table as settled
  for each statement execute function tell_panel_of_settled_events();
