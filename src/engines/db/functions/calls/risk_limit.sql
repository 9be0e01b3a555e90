-- What the account may spend on the class in a day; null for no limit.
create or replace function risk_limit(p_account uuid, p_risk text) returns numeric language sql stable as $$
  select l.daily_limit from risk_limits l
  where l.risk = p_risk and (l.account_id = p_account or l.account_id is null)
  order by l.account_id is null limit 1
$$;
