-- A ledger transaction sums to zero. Checked when the transaction commits, since its entries come after it.
create or replace function ledger_transaction_balances() returns trigger language plpgsql as $$
declare
  total numeric;
  entries integer;
begin
  select coalesce(sum(e.amount), 0), count(*) into total, entries
    from ledger_entries e where e.transaction_id = new.id;
  if total <> 0 or entries < 2 then
    raise exception 'ledger transaction % has % entries that sum to %', new.id, entries, total
      using errcode = 'check_violation';
  end if;
  return null;
end $$;

-- A constraint trigger cannot be replaced.
drop trigger if exists ledger_transactions_balance on ledger_transactions;
create constraint trigger ledger_transactions_balance after insert on ledger_transactions
  deferrable initially deferred for each row execute function ledger_transaction_balances();
