-- Every account has a pool of every template: a new account gets its own, a new template reaches the accounts that
-- exist.
create or replace function accounts_get_pools() returns trigger language plpgsql as $$
begin
  perform give_pool(new, t.id) from capacity_pool_templates t;
  return null;
end $$;

create or replace trigger accounts_get_pools after insert on accounts for each row execute function accounts_get_pools();
