-- A balance changes only by a ledger transaction.
create or replace function accounts_balance_guard() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.balance <> 0 then
      raise exception 'an account starts at zero; its opening balance is a ledger transaction'
        using errcode = 'check_violation';
    end if;
  -- Depth 2 is the ledger's own trigger.
  elsif new.balance is distinct from old.balance and pg_trigger_depth() < 2 then
    raise exception 'a balance changes only by a ledger transaction' using errcode = 'check_violation';
  end if;
  return new;
end $$;

create or replace trigger accounts_balance_inserted before insert on accounts
  for each row execute function accounts_balance_guard();
create or replace trigger accounts_balance_updated before update of balance on accounts
  for each row execute function accounts_balance_guard();
