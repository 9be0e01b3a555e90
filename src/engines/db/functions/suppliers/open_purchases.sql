-- Purchases for orders whose numbers are not ours at the supplier yet.
create or replace view open_purchases as
  select p.id, p.order_id, p.order_position, p.number, p.qty from supplier_purchases p
  where p.order_id is not null and p.state in ('reserving', 'reserved', 'ordering', 'ordered');
