-- Keeps `held` of accounts, trunks and classes of destinations the sum over the rows of open_calls, together with
-- open_calls_let_go: deleting a row gives everything back, whichever process ends the call.
create or replace function open_calls_hold() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.risk is distinct from old.risk then
    perform move_hold(old.direction, old.trunk_id, old.account_id, old.risk, call_day(old.time_start), -old.held);
    perform move_hold(new.direction, new.trunk_id, new.account_id, new.risk, call_day(new.time_start), new.held);
  else
    perform move_hold(new.direction, new.trunk_id, new.account_id, new.risk, call_day(new.time_start),
                      new.held - case when tg_op = 'UPDATE' then old.held else 0 end);
  end if;
  return null;
end $$;

create or replace trigger open_calls_hold_new after insert on open_calls
  for each row when (new.held <> 0) execute function open_calls_hold();
create or replace trigger open_calls_hold_change after update of held, risk on open_calls
  for each row when (new.held <> old.held or new.risk is distinct from old.risk) execute function open_calls_hold();
