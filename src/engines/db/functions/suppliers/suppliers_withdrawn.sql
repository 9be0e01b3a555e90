-- What is not sold any more is taken off the shelf.
create or replace function suppliers_withdrawn() returns trigger language plpgsql as $$
begin
  perform queue_job('suppliers.sweep_stock', '{}', environment_time.now(), key => 'suppliers.sweep_stock:withdrawn');
  return null;
end $$;

create or replace trigger suppliers_withdrawn after update of active on suppliers
  for each row when (old.active and not new.active) execute function suppliers_withdrawn();
create or replace trigger supplier_groups_withdrawn after update of on_sale on supplier_groups
  for each row when (old.on_sale and not new.on_sale) execute function suppliers_withdrawn();
