-- Tells the panel of calls whose state has changed.
create or replace function tell_panel_of_call_states() returns trigger language plpgsql as $$
begin
  if exists (select from panel_watchers) then
    perform tell_panel(changed.account_id, 'calls', changed.id)
    from changed join former using (id) where changed.state <> former.state;
  end if;
  return null;
end $$;

create or replace trigger open_calls_live_change after update on open_calls
  referencing old table as former new table as changed for each statement execute function tell_panel_of_call_states();
