-- Tells the panel of a row. The topic is the trigger's argument.
create or replace function tell_panel_of_row() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform tell_panel(old.account_id, tg_argv[0], old.id::text);
  else
    perform tell_panel(new.account_id, tg_argv[0], new.id::text);
  end if;
  return null;
end $$;

create or replace trigger orders_live after insert or update of status on orders
  for each row execute function tell_panel_of_row('orders');
create or replace trigger deliveries_live after insert or update of status, attempts on deliveries
  for each row execute function tell_panel_of_row('deliveries');
create or replace trigger address_verifications_live after insert or update of status on address_verifications
  for each row execute function tell_panel_of_row('reviews');
create or replace trigger emergency_verifications_live after insert or update of status on emergency_verifications
  for each row execute function tell_panel_of_row('reviews');
create or replace trigger exports_live after insert or update of status on exports
  for each row execute function tell_panel_of_row('exports');
create or replace trigger did_reservations_live after insert or delete on did_reservations
  for each row execute function tell_panel_of_row('reservations');
create or replace trigger invoices_live after insert on invoices
  for each row execute function tell_panel_of_row('money');
