-- Completes those of the orders that are pending, miss no number, and wait for none from a supplier: activates their
-- numbers, and books what was held. Returns their ids. Many together cost little more than one. The billed month of an
-- item stays empty for numbers that wait for a registration.
create or replace function complete_orders(
  p_orders uuid[], p_now timestamptz, p_month_ends timestamptz, p_registration_days int, p_from date, p_to date)
returns uuid[] language plpgsql as $$
declare
  whole uuid[];
begin
  -- In one order, so that nobody waits in a circle for orders that others complete too.
  perform from orders o where o.id = any (p_orders) and o.status = 'pending' order by o.id for update;
  -- A statement of its own, so that it sees what was committed while this one waited for locks.
  select array_agg(o.id) into whole from orders o
    where o.id = any (p_orders) and o.status = 'pending'
      and not exists (select from order_items i where i.order_id = o.id and i.missing > 0)
      and not exists (select from open_purchases p where p.order_id = o.id);
  if whole is null then
    return '{}';
  end if;
  perform activate_order_numbers(whole, p_now, p_month_ends, p_registration_days);
  update order_items i set billed_from = p_from, billed_to = p_to from did_groups g
    where g.id = i.did_group_id and i.order_id = any (whole) and not g.needs_registration;
  update orders o set status = 'completed', finished_at = p_now where o.id = any (whole);
  perform post_ledger(paid.account_id, 'order_completed', paid.id, '', paid.id, paid.vat_rate, p_now,
    array['holds', 'revenue', 'vat'], array[-paid.gross, paid.gross - paid.vat, paid.vat])
  from (
    select o.id, o.account_id, o.vat_rate, sum(i.qty * (i.nrc + i.mrc) - i.refunded) as gross,
           sum(i.qty * (i.nrc_vat + i.mrc_vat) - i.refunded_vat) as vat
    from orders o join order_items i on i.order_id = o.id where o.id = any (whole) group by o.id
  ) paid where paid.gross <> 0;
  return whole;
end $$;
