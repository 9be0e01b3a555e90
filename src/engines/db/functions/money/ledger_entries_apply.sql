-- Moves balances by the entries that were added; nothing else does. The entries of one transaction arrive together: the
-- deferred check (ledger_transaction_balances) is made once, when the transaction is new, and this one keeps a proven
-- transaction proven. Nothing is earned or refunded without the rate it was taxed with. The few transactions are looked
-- up instead of joined: a joined plan may read all of them.
create or replace function ledger_entries_apply() returns trigger language plpgsql as $$
begin
  if exists (select 1 from added group by transaction_id having sum(amount) <> 0) or exists (
    select 1 from added a
    where a.account_id <> (select t.account_id from ledger_transactions t where t.id = a.transaction_id)
  ) then
    raise exception 'ledger entries that do not balance, or are of another account than their transaction'
      using errcode = 'check_violation';
  end if;
  if exists (
    select 1 from added a where a.ledger in ('revenue', 'vat', 'refunds')
      and (select t.vat_rate from ledger_transactions t where t.id = a.transaction_id) is null
  ) then
    raise exception 'a ledger transaction that earns or refunds names its VAT rate' using errcode = 'check_violation';
  end if;
  update accounts a set balance = a.balance + moved.amount
  from (select account_id, sum(amount) as amount from added where ledger = 'customer' group by account_id) moved
  where a.id = moved.account_id;
  return null;
end $$;

create or replace trigger ledger_entries_applied after insert on ledger_entries
  referencing new table as added for each statement execute function ledger_entries_apply();
