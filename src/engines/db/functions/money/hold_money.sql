-- Takes the amount from the balance until it is earned or returned. Returns as take_money does.
create or replace function hold_money(account uuid, cause text, reference uuid, order_id uuid, at timestamptz, amount numeric)
returns numeric language sql as $$
  select take_money(account, cause, reference, '', order_id, null, at, array['customer', 'holds'], array[-amount, amount])
$$;
