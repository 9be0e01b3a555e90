-- A number that is terminated, or to end with its period, or neither any more, is so at its supplier too.
create or replace function dids_end_at_suppliers() returns trigger language plpgsql as $$
begin
  perform follow_number(p.id, p.supplier_id)
  from supplier_purchases p
  where p.number = new.number and p.state = 'obtained' and p.life <> life_of(new.terminated, new.billing_cycles_count);
  update supplier_purchases p set life = life_of(new.terminated, new.billing_cycles_count)
  where p.number = new.number and p.state = 'obtained';
  return null;
end $$;

create or replace trigger dids_end_at_suppliers after update of terminated, billing_cycles_count on dids
  for each row when (new.terminated <> old.terminated or new.billing_cycles_count is distinct from old.billing_cycles_count)
  execute function dids_end_at_suppliers();
