-- Gives an account its pool of a template, with the job that renews it.
create or replace function give_pool(account accounts, template uuid) returns void language plpgsql as $$
declare
  pool capacity_pools;
begin
  insert into capacity_pools (account_id, template_id, renew_date, renew_day)
  values (account.id, template, (account.created_at at time zone 'UTC' + interval '1 month')::date,
          extract(day from account.created_at at time zone 'UTC')::int)
  on conflict (account_id, template_id) do nothing
  returning * into pool;
  if found then
    perform queue_job('capacity.renew', json_build_object('capacity_pool_id', pool.id), environment_time.now(),
      pool.renew_date::timestamp at time zone 'UTC', key => 'capacity.renew:' || pool.id);
  end if;
end $$;
