-- The class of a number, if the account has a limit for it.
create or replace function limited_risk_of(p_account uuid, p_number text) returns text language sql stable as $$
  select r.risk from risk_of(p_number) as r (risk) where risk_limit(p_account, r.risk) is not null
$$;
