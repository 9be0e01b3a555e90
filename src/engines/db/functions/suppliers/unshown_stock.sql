-- What suppliers have of a group beyond the numbers that are shown: it can be ordered as well.
create or replace view unshown_stock as
  select g.did_group_id, sum(g.unshown)::int as unshown
  from supplier_groups g join suppliers s on s.id = g.supplier_id
  where s.active and g.on_sale and g.unshown > 0
  group by g.did_group_id;
