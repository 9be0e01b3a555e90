-- A list price as this account pays it; never below zero. Without `decimals` a price in whole cents stays in whole
-- cents.
create or replace function adjusted_price(owner uuid, what text, listed numeric, decimals integer default null) returns numeric
language sql stable as $$
  select coalesce((
    select greatest(0, round(
      case when a.fixed is null then listed * (100 + a.percent) / 100 else listed + a.fixed end,
      coalesce(decimals, case when listed = round(listed, 2) and coalesce(a.fixed, 0) = round(coalesce(a.fixed, 0), 2) then 2 else 4 end)))
    from price_adjustments a where a.account_id = owner and a.product = what and listed is not null), listed)
$$;
