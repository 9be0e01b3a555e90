-- The class of a number: that of its longest prefix.
create or replace function risk_of(p_number text) returns text language sql stable as $$
  select coalesce((
    select r.risk from destination_risks r
    where r.prefix = any(array(select left(p_number, n) from generate_series(1, 15) n))
    order by length(r.prefix) desc limit 1), 'standard')
$$;
