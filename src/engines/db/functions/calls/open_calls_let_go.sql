-- Gives back what ended calls held.
create or replace function open_calls_let_go() returns trigger language plpgsql as $$
begin
  if exists (select from gone where held <> 0) then
    perform lock_call_money(
      array(select trunk_id from gone where held <> 0 and direction = 'out'), array(select account_id from gone where held <> 0));
    perform move_hold(direction, trunk_id, account_id, risk, call_day(time_start), -held) from gone where held <> 0;
  end if;
  return null;
end $$;

create or replace trigger open_calls_hold_end after delete on open_calls
  referencing old table as gone for each statement execute function open_calls_let_go();
