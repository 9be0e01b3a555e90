-- The rest of what changes while somebody looks at a page of the panel, so that pages need not ask again and again.

create trigger verifications_live_new after insert on verifications
  for each row execute function tell_panel_of_row('verifications');
create trigger verifications_live_change after update on verifications
  for each row when (old.status is distinct from new.status or old.wrong_reports <> new.wrong_reports)
  execute function tell_panel_of_row('verifications');
create trigger exports_live after insert or update of status on exports
  for each row execute function tell_panel_of_row('exports');
create trigger did_reservations_live after insert or delete on did_reservations
  for each row execute function tell_panel_of_row('reservations');
create trigger invoices_live after insert on invoices
  for each row execute function tell_panel_of_row('money');

-- Events are settled in batches, so their accounts are told once for each batch. That new ones exist follows from the calls.
create function tell_panel_of_settled_events() returns trigger language plpgsql as $$
begin
  perform tell_panel(account_id, 'call_events', '')
  from (select distinct account_id from settled) accounts;
  return null;
end $$;
create trigger call_events_live after update on call_events
  referencing new table as settled
  for each statement execute function tell_panel_of_settled_events();
