-- Pools with what their account pays.
create or replace view capacity_pools_seen as
  select p.id, p.account_id, p.template_id, t.name, p.renew_date, p.total_channels_count, p.assigned_channels_count,
         t.minimum_limit, t.minimum_qty_per_order,
         adjusted_price(p.account_id, 'channel_setup', t.setup_price)::numeric(12, 4) as setup_price,
         adjusted_price(p.account_id, 'channel_monthly', t.monthly_price)::numeric(12, 4) as monthly_price,
         adjusted_price(p.account_id, 'metered_minute', t.metered_rate, 4)::numeric(12, 4) as metered_rate
  from capacity_pools p join capacity_pool_templates t on t.id = p.template_id;
