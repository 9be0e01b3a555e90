-- Moves balances by the entries that were added; nothing else does. The entries of one transaction arrive together: the
-- deferred check (ledger_transaction_balances) is made once, when the transaction is new, and this one keeps a proven
-- transaction proven. Nothing is earned or refunded without the rate it was taxed with. The few transactions are looked
-- up, once each, instead of joined: a joined plan may read all of them.
create or replace function ledger_entries_apply() returns trigger language plpgsql as $$
declare
  checked record;
begin
  select bool_or(e.total <> 0 or e.account_ids <> array[t.account_id]) as is_wrong,
         bool_or(e.is_taxed and t.vat_rate is null) as lacks_rate into checked
  from (
    select transaction_id, sum(amount) as total, array_agg(distinct account_id) as account_ids,
           bool_or(ledger in ('revenue', 'vat', 'refunds')) as is_taxed
    from added group by transaction_id
  ) e, lateral (select t.account_id, t.vat_rate from ledger_transactions t where t.id = e.transaction_id limit 1) t;
  if checked.is_wrong then
    raise exception 'ledger entries that do not balance, or are of another account than their transaction'
      using errcode = 'check_violation';
  elsif checked.lacks_rate then
    raise exception 'a ledger transaction that earns or refunds names its VAT rate' using errcode = 'check_violation';
  end if;
  update accounts a set balance = a.balance + moved.amount
  from (select account_id, sum(amount) as amount from added where ledger = 'customer' group by account_id) moved
  where a.id = moved.account_id;
  return null;
end $$;

create or replace trigger ledger_entries_applied after insert on ledger_entries
  referencing new table as added for each statement execute function ledger_entries_apply();
