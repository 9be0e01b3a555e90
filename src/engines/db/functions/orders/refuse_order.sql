-- Why an order is not accepted: `reference` (taken, try another), `balance` (with what the account can spend), `number`
-- (the chosen one of the item at this position is gone), `stock`.
create or replace function refuse_order(refusal text, item integer, spendable numeric) returns void language plpgsql as $$
begin
  raise exception 'the order is refused: %', refusal using errcode = 'TL001',
    detail = json_build_object('refusal', refusal, 'item', item, 'spendable', spendable::text);
end $$;
