-- Gives the numbers that are reserved for orders to their accounts, with their history and the jobs that check them when
-- their month, or the time to register them, is over. One job for a moment and an account: with one for all, orders of
-- the same millisecond would wait for each other's commit.
create or replace function activate_order_numbers(
  p_orders uuid[], p_now timestamptz, p_month_ends timestamptz, p_registration_days int)
returns void language plpgsql as $$
declare
  accounts uuid[];
  moments timestamptz[];
begin
  -- A new month of history is removed 90 days after its end.
  if ensure_month_partition('did_history', p_now) then
    perform queue_job('dids.forget_history', '{}', p_now,
      (date_trunc('month', p_now at time zone 'UTC') + interval '1 month 90 days') at time zone 'UTC');
  end if;
  with activated as (
    update dids d set activated_at = p_now, awaiting_registration = g.needs_registration, billed_since = a.billed_since,
      periods = a.periods, expires_at = a.expires_at, due_at = a.due_at
    from did_groups g, orders o,
      lateral activation_of(g.needs_registration, o.account_id, p_now, p_month_ends, p_registration_days) a
    where d.order_id = any (p_orders) and d.activated_at is null and g.id = d.did_group_id and o.id = d.order_id
      and not exists (select from open_purchases p where p.order_id = d.order_id and p.number = d.number)
    returning d.account_id, d.number, d.due_at, o.method
  ), noted as (
    insert into did_history (account_id, did_number, action, method, created_at)
    select a.account_id, a.number, 'assigned', coalesce(a.method, 'api3'), p_now from activated a
  )
  select array_agg(p.account_id), array_agg(p.due_at) into accounts, moments
  from (select distinct a.account_id, a.due_at from activated a order by a.due_at, a.account_id) p;
  perform queue_keyed_job('dids.settle_due',
    'dids.settle_due:' || to_char(p.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ':' || p.account_id,
    p_now, p.due_at, 0)
  from unnest(accounts, moments) as p (account_id, due_at);
end $$;
