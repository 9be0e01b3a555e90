-- A supplier's number that leaves its account is given back there, whatever its purchase has come to.
create or replace function dids_left_suppliers() returns trigger language plpgsql as $$
declare
  given_back record;
begin
  for given_back in
    update supplier_purchases p set state = 'undoing', begun = 0, changed_at = environment_time.now()
    from removed d
    where p.number = d.number and p.order_id = d.order_id and p.state in ('reserving', 'reserved', 'ordering', 'ordered', 'obtained')
    returning p.id, p.supplier_id
  loop
    perform queue_purchase(given_back.id, given_back.supplier_id, environment_time.now());
  end loop;
  return null;
end $$;

create or replace trigger dids_left_suppliers after delete on dids
  referencing old table as removed for each statement execute function dids_left_suppliers();
