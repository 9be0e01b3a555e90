-- The countries of a pool are those of its template.
create or replace view capacity_pool_countries as
  select p.id as capacity_pool_id, c.country_id
  from capacity_pools p join capacity_pool_template_countries c on c.template_id = p.template_id;
