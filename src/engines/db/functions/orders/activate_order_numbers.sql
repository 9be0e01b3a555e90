-- Gives the numbers that are reserved for an order to its account, with their history and the job that checks them when
-- their month, or the time to register them, is over.
create or replace function activate_order_numbers(p_order uuid, p_now timestamptz, p_month_ends timestamptz, p_registration_days int)
returns void language plpgsql as $$
declare
  activated record;
begin
  with activated as (
    update dids d set activated_at = p_now, awaiting_registration = g.needs_registration, billed_since = a.billed_since,
      periods = a.periods, expires_at = a.expires_at, due_at = a.due_at
    from did_groups g, orders o,
      lateral activation_of(g.needs_registration, o.account_id, p_now, p_month_ends, p_registration_days) a
    where d.order_id = p_order and d.activated_at is null and g.id = d.did_group_id and o.id = p_order
    returning d.account_id, d.number, d.due_at, o.method
  )
  select (array_agg(a.account_id))[1] as account_id, array_agg(a.number) as numbers, array_agg(a.due_at) as due,
    (array_agg(a.method))[1] as method into activated from activated a;
  perform record_activation(activated.account_id, activated.numbers, activated.due, p_now, activated.method);
end $$;
