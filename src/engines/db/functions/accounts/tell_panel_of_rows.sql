-- Tells the panel of the rows of a statement; costs next to nothing while nobody looks. The topic is the trigger's
-- argument.
create or replace function tell_panel_of_rows() returns trigger language plpgsql as $$
begin
  if exists (select from panel_watchers) then
    perform tell_panel(changed.account_id, tg_argv[0], changed.id::text) from changed;
  end if;
  return null;
end $$;

create or replace trigger sandbox_messages_live after insert on sandbox_messages
  referencing new table as changed for each statement execute function tell_panel_of_rows('messages');
create or replace trigger verifications_live_new after insert on verifications
  referencing new table as changed for each statement execute function tell_panel_of_rows('verifications');
create or replace trigger open_calls_live_new after insert on open_calls
  referencing new table as changed for each statement execute function tell_panel_of_rows('calls');
create or replace trigger open_calls_live_end after delete on open_calls
  referencing old table as changed for each statement execute function tell_panel_of_rows('calls');
create or replace trigger cdrs_in_live after insert on cdrs_in
  referencing new table as changed for each statement execute function tell_panel_of_rows('calls');
create or replace trigger cdrs_out_live after insert on cdrs_out
  referencing new table as changed for each statement execute function tell_panel_of_rows('calls');
