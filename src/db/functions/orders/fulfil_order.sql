-- The whole completion of an order that needs nothing else, and with it the job that asked for it. Returns null, or what
-- else it needs: `numbers` that were not in stock, or its `callback`; then nothing was done.
create or replace function fulfil_order(
  p_order uuid, p_now timestamptz, p_month_ends timestamptz, p_registration_days int, p_from date, p_to date,
  p_job bigint, p_worker text)
returns text language plpgsql as $$
declare
  found_order record;
begin
  select o.status, o.callback_url, exists (
      select from order_items i where i.order_id = o.id and i.missing > 0) as lacks_numbers
    into found_order from orders o where o.id = p_order for update;
  if found_order.status = 'pending' then
    if found_order.lacks_numbers then
      return 'numbers';
    elsif found_order.callback_url is not null then
      return 'callback';
    end if;
    perform activate_order_numbers(p_order, p_now, p_month_ends, p_registration_days);
    perform complete_order(p_order, p_now, p_from, p_to);
  end if;
  delete from graphile_worker._private_jobs where id = p_job and locked_by = p_worker;
  return null;
end $$;
