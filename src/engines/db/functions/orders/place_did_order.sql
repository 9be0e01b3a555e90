-- Numbers from stock, the order, its items, its numbers, its job and the money, in the order of locks: stock, then the
-- account. `items` are rows of order_items, with available_did_id, did_reservation_id, back_orderable and
-- channels_included_count.
--
-- The order is pending, and its money held; p_job completes it (complete_orders). Returns the id of that job, or null.
-- An order that is refused is an error (refuse_order), and so is a reference that another order has: the statement needs
-- no transaction around it.
create or replace function place_did_order(
  p_order orders, p_items json, p_back_orders boolean, p_job json, p_job_due timestamptz, p_job_priority int, p_taken_by text)
returns bigint language plpgsql as $$
declare
  item record;
  numbers text[];
  prefixes uuid[];
  got integer;
  all_numbers text[] := '{}';
  all_prefixes uuid[] := '{}';
  positions integer[] := '{}';
  spendable numeric;
begin
  -- Before any number is locked: a customer without money must not block stock, not even for a moment.
  select a.balance + a.credit into strict spendable from accounts a where a.id = p_order.account_id;
  if spendable < p_order.amount then
    perform refuse_order('balance', null, spendable);
  end if;
  insert into orders (id, account_id, reference, kind, description, amount, vat_rate, status, callback_url, callback_method,
                      external_reference_id, sealed_signing_key, created_at, method)
  values (p_order.id, p_order.account_id, p_order.reference, p_order.kind, p_order.description, p_order.amount,
          p_order.vat_rate, p_order.status, p_order.callback_url, p_order.callback_method, p_order.external_reference_id,
          p_order.sealed_signing_key, p_order.created_at, p_order.method);
  insert into order_items (order_id, position, type, qty, nrc, nrc_vat, mrc, mrc_vat, did_group_id, sku_id, nanpa_prefix_id,
                           billing_cycles_count, is_chosen, may_wait)
  select p_order.id, i.position, i.type, i.qty, i.nrc, i.nrc_vat, i.mrc, i.mrc_vat, i.did_group_id, i.sku_id,
         i.nanpa_prefix_id, i.billing_cycles_count, coalesce(i.is_chosen, false), coalesce(i.may_wait, true)
  from json_populate_recordset(null::order_items, p_items) i;
  for item in
    select * from json_to_recordset(p_items) as i (
      position integer, qty integer, did_group_id uuid, nanpa_prefix_id uuid, available_did_id uuid, did_reservation_id uuid,
      back_orderable boolean)
    -- Chosen numbers first; otherwise an item for any number of the group could take them.
    order by i.available_did_id is null and i.did_reservation_id is null, i.did_group_id
  loop
    if item.available_did_id is null and item.did_reservation_id is null then
      select array_agg(t.number), array_agg(t.nanpa_prefix_id) into numbers, prefixes
      from take_stock(item.did_group_id, item.nanpa_prefix_id, item.qty, p_order.created_at) t;
    else
      select array_agg(t.number), array_agg(t.nanpa_prefix_id) into numbers, prefixes
      from take_chosen_number(p_order.account_id, item.did_group_id, item.nanpa_prefix_id, item.available_did_id,
                              item.did_reservation_id, p_order.created_at) t;
    end if;
    got := coalesce(cardinality(numbers), 0);
    if got < item.qty then
      if item.available_did_id is not null or item.did_reservation_id is not null then
        perform refuse_order('number', item.position, null);
      elsif not (p_back_orders and item.back_orderable) and (item.nanpa_prefix_id is not null or item.qty - got > coalesce(
          (select u.unshown from unshown_stock u where u.did_group_id = item.did_group_id), 0)) then
        perform refuse_order('stock', item.position, null);
      end if;
      update order_items i set missing = item.qty - got where i.order_id = p_order.id and i.position = item.position;
    end if;
    all_numbers := all_numbers || numbers;
    all_prefixes := all_prefixes || prefixes;
    positions := positions || array_fill(item.position, array[got]);
  end loop;
  insert into dids (account_id, number, nanpa_prefix_id, did_group_id, sku_id, order_id, order_position,
                    channels_included_count, billing_cycles_count, created_at)
  select p_order.account_id, n.number, n.prefix, i.did_group_id, i.sku_id, p_order.id, n.position, s.channels_included_count,
         i.billing_cycles_count, p_order.created_at
  from unnest(all_numbers, all_prefixes, positions) as n (number, prefix, position)
    join order_items i on i.order_id = p_order.id and i.position = n.position
    join stock_keeping_units s on s.id = i.sku_id;
  spendable := hold_money(p_order.account_id, 'order', p_order.id, p_order.id, p_order.created_at, p_order.amount);
  if spendable is not null then
    perform refuse_order('balance', null, spendable);
  end if;
  if p_job is null then
    return null;
  end if;
  return queue_job('orders.fulfil', p_job, p_order.created_at, p_job_due, null, p_job_priority, p_taken_by);
end $$;
