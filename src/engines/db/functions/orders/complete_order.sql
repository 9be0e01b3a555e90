-- Completes a pending order whose numbers are all reserved for it: activates them, and books what was held. The billed
-- month of an item stays empty for numbers that wait for a registration.
create or replace function complete_order(
  p_order uuid, p_now timestamptz, p_month_ends timestamptz, p_registration_days int, p_from date, p_to date)
returns void language plpgsql as $$
declare
  paid record;
begin
  perform activate_order_numbers(p_order, p_now, p_month_ends, p_registration_days);
  update order_items i set billed_from = p_from, billed_to = p_to from did_groups g
    where g.id = i.did_group_id and i.order_id = p_order and not g.needs_registration;
  update orders o set status = 'completed', finished_at = p_now where o.id = p_order;
  select o.account_id, o.vat_rate, sum(i.qty * (i.nrc + i.mrc) - i.refunded) as gross,
         sum(i.qty * (i.nrc_vat + i.mrc_vat) - i.refunded_vat) as vat
    into strict paid
    from orders o join order_items i on i.order_id = o.id where o.id = p_order group by o.id;
  if paid.gross <> 0 then
    perform post_ledger(paid.account_id, 'order_completed', p_order, '', p_order, paid.vat_rate, p_now,
      array['holds', 'revenue', 'vat'], array[-paid.gross, paid.gross - paid.vat, paid.vat]);
  end if;
end $$;
