-- A supplier's number that is taken for an order is bought there. If it is held there already, for a customer who
-- reserved it, the order gets that purchase.
create or replace function dids_from_suppliers() returns trigger language plpgsql as $$
declare
  taken record;
  purchase uuid;
begin
  for taken in
    with sold as (
      delete from supplied_numbers n using added d where n.number = d.number
      returning n.number, n.supplier_group_id, n.their_id, d.order_id, d.order_position, d.sku_id, d.created_at
    )
    select s.*, g.supplier_id, (
        select o.their_id from supplier_offers o join stock_keeping_units k on k.channels_included_count = o.channels_included_count
        where o.supplier_group_id = s.supplier_group_id and k.id = s.sku_id) as offer
    from sold s join supplier_groups g on g.id = s.supplier_group_id
    order by s.number
  loop
    insert into supplier_purchases as p (supplier_id, supplier_group_id, order_id, order_position, number, their_offer_id,
      their_number_id, state, created_at, changed_at)
    values (taken.supplier_id, taken.supplier_group_id, taken.order_id, taken.order_position, taken.number, taken.offer,
      taken.their_id, 'reserving', taken.created_at, taken.created_at)
    on conflict (number) where number is not null and state in ('reserving', 'reserved', 'ordering', 'ordered', 'obtained')
      do update set order_id = excluded.order_id, order_position = excluded.order_position,
        their_offer_id = excluded.their_offer_id, changed_at = excluded.changed_at
      where p.order_id is null
    returning p.id into strict purchase;
    perform queue_purchase(purchase, taken.supplier_id, taken.created_at);
  end loop;
  return null;
end $$;

create or replace trigger dids_from_suppliers after insert on dids
  referencing new table as added for each statement execute function dids_from_suppliers();
