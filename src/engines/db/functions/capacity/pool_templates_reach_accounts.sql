-- Every account has a pool of every template: see accounts_get_pools.
create or replace function pool_templates_reach_accounts() returns trigger language plpgsql as $$
begin
  perform give_pool(a, new.id) from accounts a;
  return null;
end $$;

create or replace trigger pool_templates_reach_accounts after insert on capacity_pool_templates
  for each row execute function pool_templates_reach_accounts();
