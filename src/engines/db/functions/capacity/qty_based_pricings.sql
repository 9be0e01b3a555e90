-- Prices by quantity of each pool, as its account pays them.
create or replace view qty_based_pricings as
  select q.id, p.account_id, p.id as capacity_pool_id, q.qty,
         adjusted_price(p.account_id, 'channel_setup', q.setup_price)::numeric(12, 4) as setup_price,
         adjusted_price(p.account_id, 'channel_monthly', q.monthly_price)::numeric(12, 4) as monthly_price
  from capacity_pools p join capacity_pool_template_pricings q on q.template_id = p.template_id;
