-- What a supplier has of a group beyond the numbers that are shown here. Read anew with every count of theirs, and when
-- numbers are no longer shown; a sale here takes a number off both.
create or replace function supplier_groups_unshown() returns trigger language plpgsql as $$
begin
  new.unshown := greatest(0, new.stock - (
    select count(*) from supplied_numbers n join available_dids a on a.number = n.number where n.supplier_group_id = new.id));
  return new;
end $$;

create or replace trigger supplier_groups_unshown before insert or update of stock on supplier_groups
  for each row execute function supplier_groups_unshown();
