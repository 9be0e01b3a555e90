-- Takes money from the balance for the other ledgers: the first of `amounts` is the customer's, and negative. Money
-- that calls hold, or that open verifications may cost, cannot be spent on anything else. Returns null, or what the
-- account can spend if that is too little. The account's row is locked until the transaction ends; it is the last lock
-- that a workflow takes.
create or replace function take_money(
  account uuid, cause text, reference uuid, occasion text, order_id uuid, vat_rate numeric, at timestamptz,
  ledgers text[], amounts numeric[])
returns numeric language plpgsql as $$
#variable_conflict use_variable
declare
  spendable numeric;
begin
  if amounts[1] = 0 then
    return null;
  end if;
  spendable := free_money(account, at, -amounts[1]);
  if spendable < -amounts[1] then
    return spendable;
  end if;
  perform post_ledger(account, cause, reference, occasion, order_id, vat_rate, at, ledgers, amounts);
  return null;
end $$;
