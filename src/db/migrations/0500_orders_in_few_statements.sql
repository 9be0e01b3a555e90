-- An order is placed by one statement and completed by one: every statement costs a round trip, and PostgreSQL keeps the plans
-- of those inside a function. What may be ordered, its price, the callback and stock that arrives late stay with the program.

-- One movement of money: a transaction and its entries, which sum to zero. For src/money and for the functions below.
create function post_ledger(
  account uuid, cause text, reference uuid, occasion text, order_id uuid, vat_rate numeric, at timestamptz,
  ledgers text[], amounts numeric[])
returns void language plpgsql as $$
#variable_conflict use_variable
declare
  opened bigint;
begin
  insert into ledger_transactions (account_id, cause, reference, occasion, order_id, vat_rate, created_at)
  values (account, cause, reference, occasion, order_id, vat_rate, at)
  returning ledger_transactions.id into opened;
  insert into ledger_entries (transaction_id, ledger, account_id, amount)
  select opened, e.ledger, account, e.amount from unnest(ledgers, amounts) as e (ledger, amount) where e.amount <> 0;
end $$;

-- Takes the amount from the balance until it is earned or returned. Returns null, or what the account can spend if that is
-- too little. The account's row is locked until the transaction ends; it is the last lock that a workflow takes.
create function hold_money(account uuid, cause text, reference uuid, order_id uuid, at timestamptz, amount numeric)
returns numeric language plpgsql as $$
#variable_conflict use_variable
declare
  spendable numeric;
begin
  if amount = 0 then
    return null;
  end if;
  select a.balance + a.credit into strict spendable from accounts a where a.id = account for no key update;
  if spendable < amount then
    return spendable;
  end if;
  perform post_ledger(account, cause, reference, '', order_id, null, at, array['customer', 'holds'], array[-amount, amount]);
  return null;
end $$;

-- A job without payload that exists once per key. Whoever comes second with a key adds nothing, unless the job has begun: then
-- it may have looked already, and the queue's own function adds another. Workers are told only of jobs that are due.
create function queue_keyed_job(task text, job_key text, now timestamptz, due timestamptz, priority int)
returns void language plpgsql as $$
begin
  insert into graphile_worker._private_jobs (task_id, payload, run_at, max_attempts, priority, key)
  select id, '{}', due, 25, queue_keyed_job.priority, job_key from graphile_worker._private_tasks where identifier = task
  on conflict (key) do nothing;
  if found and due > queue_keyed_job.now then
    return;
  end if;
  if not found and exists (
    select from graphile_worker._private_jobs j where j.key = job_key and j.locked_at is null and j.attempts = 0
  ) then
    return;
  end if;
  perform graphile_worker.add_job(
    task, '{}'::json, run_at => due, job_key => queue_keyed_job.job_key, priority => queue_keyed_job.priority);
end $$;

-- A chosen number, or the one of a reservation. Numbers reserved by others are not available; a reservation of the account is
-- used up with its number.
create function take_chosen_number(
  p_account uuid, p_group uuid, p_prefix uuid, p_available_did uuid, p_reservation uuid, p_now timestamptz)
returns table (number text, nanpa_prefix_id uuid) language plpgsql as $$
#variable_conflict use_column
begin
  if p_available_did is not null then
    return query delete from available_dids a using did_groups g
      where a.id = p_available_did and a.did_group_id = p_group and g.id = a.did_group_id and g.available_dids_enabled
        and (p_prefix is null or a.nanpa_prefix_id = p_prefix)
        and not exists (select from did_reservations r where r.available_did_id = a.id
                        and r.expires_at > p_now and r.account_id <> p_account)
      returning a.number, a.nanpa_prefix_id;
  else
    return query delete from available_dids a using did_reservations r
      where r.id = p_reservation and r.account_id = p_account and r.expires_at > p_now
        and a.id = r.available_did_id and a.did_group_id = p_group
        and (p_prefix is null or a.nanpa_prefix_id = p_prefix)
      returning a.number, a.nanpa_prefix_id;
  end if;
end $$;

create type placed_order as (
  -- Why nothing may be committed: `reference` (taken, try another), `balance`, `number` (the chosen one is gone), `stock`.
  refusal text,
  -- The position of the item that is refused.
  item integer,
  -- What the account can spend, where that is too little.
  spendable numeric,
  -- Of the job that completes it.
  job_id bigint
);

-- Numbers from stock, the order, its items, its numbers, its job and the money, in the order of locks: stock, then the account.
-- `items` are rows of order_items, with available_did_id, did_reservation_id, back_orderable and channels_included_count.
create function place_did_order(
  p_order orders, p_items json, p_back_orders boolean, p_job json, p_job_due timestamptz, p_job_priority int, p_taken_by text)
returns placed_order language plpgsql as $$
declare
  placed placed_order;
  item record;
  numbers text[];
  prefixes uuid[];
begin
  -- Before any number is locked: a customer without money must not block stock, not even for a moment.
  select a.balance + a.credit into strict placed.spendable from accounts a where a.id = p_order.account_id;
  if placed.spendable < p_order.amount then
    placed.refusal := 'balance';
    return placed;
  end if;
  insert into orders (id, account_id, reference, kind, description, amount, vat_rate, status, callback_url, callback_method,
                      external_reference_id, sealed_signing_key, created_at)
  values (p_order.id, p_order.account_id, p_order.reference, p_order.kind, p_order.description, p_order.amount,
          p_order.vat_rate, p_order.status, p_order.callback_url, p_order.callback_method, p_order.external_reference_id,
          p_order.sealed_signing_key, p_order.created_at)
  on conflict (reference) do nothing;
  if not found then
    placed.refusal := 'reference';
    return placed;
  end if;
  insert into order_items (order_id, position, type, qty, nrc, nrc_vat, mrc, mrc_vat, did_group_id, sku_id, nanpa_prefix_id,
                           billing_cycles_count)
  select p_order.id, i.position, i.type, i.qty, i.nrc, i.nrc_vat, i.mrc, i.mrc_vat, i.did_group_id, i.sku_id,
         i.nanpa_prefix_id, i.billing_cycles_count
  from json_populate_recordset(null::order_items, p_items) i;
  for item in
    select * from json_to_recordset(p_items) as i (
      position integer, qty integer, did_group_id uuid, sku_id uuid, nanpa_prefix_id uuid, billing_cycles_count integer,
      available_did_id uuid, did_reservation_id uuid, back_orderable boolean, channels_included_count integer)
    -- Chosen numbers first; otherwise an item for any number of the group could take them.
    order by i.available_did_id is null and i.did_reservation_id is null, i.did_group_id
  loop
    if item.available_did_id is null and item.did_reservation_id is null then
      select array_agg(t.number), array_agg(t.nanpa_prefix_id) into numbers, prefixes
      from take_stock(item.did_group_id, item.nanpa_prefix_id, item.qty, p_order.created_at) t;
    else
      select array_agg(t.number), array_agg(t.nanpa_prefix_id) into numbers, prefixes
      from take_chosen_number(p_order.account_id, item.did_group_id, item.nanpa_prefix_id, item.available_did_id,
                              item.did_reservation_id, p_order.created_at) t;
    end if;
    if coalesce(cardinality(numbers), 0) < item.qty then
      placed.item := item.position;
      if item.available_did_id is not null or item.did_reservation_id is not null then
        placed.refusal := 'number';
        return placed;
      elsif not (p_back_orders and item.back_orderable) then
        placed.refusal := 'stock';
        return placed;
      end if;
      update order_items i set missing = item.qty - coalesce(cardinality(numbers), 0)
        where i.order_id = p_order.id and i.position = item.position;
    end if;
    insert into dids (account_id, number, nanpa_prefix_id, did_group_id, sku_id, order_id, order_position,
                      channels_included_count, billing_cycles_count, created_at)
    select p_order.account_id, n.number, n.prefix, item.did_group_id, item.sku_id, p_order.id, item.position,
           item.channels_included_count, item.billing_cycles_count, p_order.created_at
    from unnest(numbers, prefixes) as n (number, prefix);
  end loop;
  if p_job is not null then
    placed.job_id := queue_job('orders.fulfil', p_job, p_order.created_at, p_job_due, null, p_job_priority, p_taken_by);
  end if;
  placed.item := null;
  placed.spendable := hold_money(
    p_order.account_id, 'order', p_order.id, p_order.id, p_order.created_at, p_order.amount);
  if placed.spendable is not null then
    placed.refusal := 'balance';
  end if;
  return placed;
end $$;

-- Gives the numbers that are reserved for an order to its account, with their history and the job that looks at them when
-- their month, or the time to register them, is over.
create function activate_order_numbers(p_order uuid, p_now timestamptz, p_month_ends timestamptz, p_registration_days int)
returns void language plpgsql as $$
declare
  due timestamptz;
begin
  -- A new month of history is removed 90 days after its end.
  if ensure_month_partition('did_history', p_now) then
    perform queue_job('dids.forget_history', '{}', p_now,
      (date_trunc('month', p_now at time zone 'UTC') + interval '1 month 90 days') at time zone 'UTC');
  end if;
  for due in
    with activated as (
      update dids d set activated_at = p_now, awaiting_registration = g.needs_registration,
        billed_since = case when g.needs_registration then null else p_now end,
        periods = case when g.needs_registration then 0 else 1 end,
        expires_at = case when g.needs_registration then null else p_month_ends end,
        due_at = case when g.needs_registration then p_now + coalesce((
            select s.registration_days from review_settings s where s.account_id = d.account_id
          ), p_registration_days) * interval '24 hours' else p_month_ends end
      from did_groups g
      where d.order_id = p_order and d.activated_at is null and g.id = d.did_group_id
      returning d.account_id, d.number, d.due_at
    ), recorded as (
      insert into did_history (account_id, did_number, action, method, created_at)
      select account_id, number, 'assigned', 'api3', p_now from activated
    )
    select distinct due_at from activated
  loop
    perform queue_keyed_job('dids.settle_due',
      'dids.settle_due:' || to_char(due at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), p_now, due, 0);
  end loop;
end $$;

-- Completes an order whose numbers are active, and books what was held for it. Its billed month stays empty for numbers that
-- wait for a registration.
create function complete_order(p_order uuid, p_now timestamptz, p_from date, p_to date)
returns void language plpgsql as $$
declare
  paid record;
begin
  update order_items i set billed_from = p_from, billed_to = p_to from did_groups g
    where g.id = i.did_group_id and i.order_id = p_order and not g.needs_registration;
  update orders o set status = 'completed', finished_at = p_now where o.id = p_order;
  select o.account_id, o.vat_rate, sum(i.qty * (i.nrc + i.mrc) - i.refunded) as gross,
         sum(i.qty * (i.nrc_vat + i.mrc_vat) - i.refunded_vat) as vat
    into strict paid
    from orders o join order_items i on i.order_id = o.id where o.id = p_order group by o.id;
  if paid.gross <> 0 then
    perform post_ledger(paid.account_id, 'order_completed', p_order, '', p_order, paid.vat_rate, p_now,
      array['holds', 'revenue', 'vat'], array[-paid.gross, paid.gross - paid.vat, paid.vat]);
  end if;
end $$;

-- The whole completion of an order that needs nothing else, and with it the job that asked for it. Returns null, or what
-- else it needs: `numbers` that were not in stock, or its `callback`; then nothing was done.
create function fulfil_order(
  p_order uuid, p_now timestamptz, p_month_ends timestamptz, p_registration_days int, p_from date, p_to date,
  p_job bigint, p_worker text)
returns text language plpgsql as $$
declare
  found_order record;
begin
  select o.status, o.callback_url, exists (
      select from order_items i where i.order_id = o.id and i.missing > 0) as lacks_numbers
    into found_order from orders o where o.id = p_order for update;
  if found_order.status = 'pending' then
    if found_order.lacks_numbers then
      return 'numbers';
    elsif found_order.callback_url is not null then
      return 'callback';
    end if;
    perform activate_order_numbers(p_order, p_now, p_month_ends, p_registration_days);
    perform complete_order(p_order, p_now, p_from, p_to);
  end if;
  delete from graphile_worker._private_jobs where id = p_job and locked_by = p_worker;
  return null;
end $$;
