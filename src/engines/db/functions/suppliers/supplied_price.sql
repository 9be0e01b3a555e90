-- What is charged here for what a supplier charges: by the most exact rule for the country and the kind of number, or by
-- the markup of the supplier. `kind` is 'setup' or 'monthly'. Never below the cost, and rounded up, so
-- that rounding never eats the margin.
create or replace function supplied_price(supplier uuid, in_country text, of_type text, kind text, cost numeric)
returns numeric language sql stable as $$
  with rule as (
    select r.markup_percent, case kind when 'setup' then r.setup_added else r.monthly_added end as added, r.rounded_to,
           case kind when 'setup' then 0 else r.least_margin end as least_margin,
           (r.country is not null)::int * 2 + (r.did_group_type is not null)::int as exactness
    from supplier_price_rules r
    where r.supplier_id = supplier and coalesce(r.country, in_country) = in_country
      and coalesce(r.did_group_type, of_type) = of_type
    union all
    select s.markup_percent, 0, 0, 0, -1 from suppliers s where s.id = supplier
    order by exactness desc limit 1
  ), raw as (
    select greatest(cost * (1 + markup_percent / 100) + added, cost + least_margin, 0) as price, rounded_to from rule
  )
  select case when rounded_to > 0 then ceil(price / rounded_to) * rounded_to else ceil(price * 10000) / 10000 end from raw
$$;
