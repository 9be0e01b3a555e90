-- One movement of money: a transaction and its entries, which sum to zero. For src/business/money and for the functions
-- below.
create or replace function post_ledger(
  account uuid, cause text, reference uuid, occasion text, order_id uuid, vat_rate numeric, at timestamptz,
  ledgers text[], amounts numeric[])
returns void language plpgsql as $$
#variable_conflict use_variable
declare
  opened bigint;
begin
  insert into ledger_transactions (account_id, cause, reference, occasion, order_id, vat_rate, created_at)
  values (account, cause, reference, occasion, order_id, vat_rate, at)
  returning ledger_transactions.id into opened;
  insert into ledger_entries (transaction_id, ledger, account_id, amount)
  select opened, e.ledger, account, e.amount from unnest(ledgers, amounts) as e (ledger, amount) where e.amount <> 0;
end $$;
