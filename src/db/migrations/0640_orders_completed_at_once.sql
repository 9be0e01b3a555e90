-- An order that needs nothing else is written as completed: its row, its items and its numbers once instead of twice, and its money
-- in one movement. Before (0500) every order was written as pending and completed by a second statement. And one that is refused is
-- an error: so the statement needs no transaction around it.

-- Takes money from the balance for the other ledgers: the first of `amounts` is the customer's, and negative. Returns null, or
-- what the account can spend if that is too little. The account's row is locked until the transaction ends; it is the last lock
-- that a workflow takes.
create function take_money(
  account uuid, cause text, reference uuid, order_id uuid, vat_rate numeric, at timestamptz, ledgers text[], amounts numeric[])
returns numeric language plpgsql as $$
#variable_conflict use_variable
declare
  spendable numeric;
begin
  if amounts[1] = 0 then
    return null;
  end if;
  select a.balance + a.credit into strict spendable from accounts a where a.id = account for no key update;
  if spendable < -amounts[1] then
    return spendable;
  end if;
  perform post_ledger(account, cause, reference, '', order_id, vat_rate, at, ledgers, amounts);
  return null;
end $$;

create or replace function hold_money(account uuid, cause text, reference uuid, order_id uuid, at timestamptz, amount numeric)
returns numeric language sql as $$
  select take_money(account, cause, reference, order_id, null, at, array['customer', 'holds'], array[-amount, amount])
$$;

-- The account of an entry is that of its transaction (the trigger ledger_entries_applied), which refers to accounts.
alter table ledger_entries drop constraint ledger_entries_account_id_fkey;

-- What a number gets that is activated now. One that waits for its registration is paid for from the day it is registered.
create function activation_of(
  needs_registration boolean, account uuid, now timestamptz, month_ends timestamptz, registration_days integer)
returns table (billed_since timestamptz, periods integer, expires_at timestamptz, due_at timestamptz) language sql stable as $$
  select case when not needs_registration then now end, case when needs_registration then 0 else 1 end,
    case when not needs_registration then month_ends end,
    case when needs_registration then now + coalesce((
        select s.registration_days from review_settings s where s.account_id = account
      ), registration_days) * interval '24 hours' else month_ends end
$$;

-- The history of numbers that were activated, and the jobs that look at them when their month, or the time to register them, is over.
-- One job for a moment and an account: with one for all, orders of the same millisecond would wait for each other's commit.
create function record_activation(p_account uuid, p_numbers text[], p_due timestamptz[], p_now timestamptz)
returns void language plpgsql as $$
declare
  due timestamptz;
  planned timestamptz[] := '{}';
begin
  if p_numbers is null then
    return;
  end if;
  -- A new month of history is removed 90 days after its end.
  if ensure_month_partition('did_history', p_now) then
    perform queue_job('dids.forget_history', '{}', p_now,
      (date_trunc('month', p_now at time zone 'UTC') + interval '1 month 90 days') at time zone 'UTC');
  end if;
  insert into did_history (account_id, did_number, action, method, created_at)
  select p_account, n.number, 'assigned', 'api3', p_now from unnest(p_numbers) as n (number);
  foreach due in array p_due loop
    if not due = any (planned) then
      perform queue_keyed_job('dids.settle_due',
        'dids.settle_due:' || to_char(due at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ':' || p_account, p_now, due, 0);
      planned := planned || due;
    end if;
  end loop;
end $$;

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
    returning d.account_id, d.number, d.due_at
  )
  select (array_agg(a.account_id))[1] as account_id, array_agg(a.number) as numbers, array_agg(a.due_at) as due
    into activated from activated a;
  perform record_activation(activated.account_id, activated.numbers, activated.due, p_now);
end $$;

-- Why an order is not accepted: `reference` (taken, try another), `balance` (with what the account can spend), `number` (the chosen one
-- of the item at this position is gone), `stock`.
create function refuse_order(refusal text, item integer, spendable numeric) returns void language plpgsql as $$
begin
  raise exception 'the order is refused: %', refusal using errcode = 'TL001',
    detail = json_build_object('refusal', refusal, 'item', item, 'spendable', spendable::text);
end $$;

-- Numbers from stock, the order, its items, its numbers, its job and the money, in the order of locks: stock, then the account.
-- `items` are rows of order_items, with available_did_id, did_reservation_id, back_orderable and channels_included_count.
-- With p_month_ends the order is completed, unless numbers are missing; otherwise p_job does it. Returns the id of that job, or null.
create function place_did_order(
  p_order orders, p_items json, p_back_orders boolean, p_job json, p_job_due timestamptz, p_job_priority int, p_taken_by text,
  p_month_ends timestamptz, p_registration_days int, p_billed_from date, p_billed_to date)
returns bigint language plpgsql as $$
declare
  item record;
  numbers text[];
  prefixes uuid[];
  got integer;
  all_numbers text[] := '{}';
  all_prefixes uuid[] := '{}';
  positions integer[] := '{}';
  completed boolean := p_month_ends is not null;
  activated record;
  tax numeric;
  spendable numeric;
  job_id bigint;
begin
  -- Before any number is locked: a customer without money must not block stock, not even for a moment.
  select a.balance + a.credit into strict spendable from accounts a where a.id = p_order.account_id;
  if spendable < p_order.amount then
    perform refuse_order('balance', null, spendable);
  end if;
  insert into orders (id, account_id, reference, kind, description, amount, vat_rate, status, callback_url, callback_method,
                      external_reference_id, sealed_signing_key, created_at, finished_at)
  values (p_order.id, p_order.account_id, p_order.reference, p_order.kind, p_order.description, p_order.amount,
          p_order.vat_rate, case when completed then 'completed' else p_order.status end, p_order.callback_url,
          p_order.callback_method, p_order.external_reference_id, p_order.sealed_signing_key, p_order.created_at,
          case when completed then p_order.created_at end)
  on conflict (reference) do nothing;
  if not found then
    perform refuse_order('reference', null, null);
  end if;
  insert into order_items (order_id, position, type, qty, nrc, nrc_vat, mrc, mrc_vat, did_group_id, sku_id, nanpa_prefix_id,
                           billing_cycles_count, billed_from, billed_to)
  select p_order.id, i.position, i.type, i.qty, i.nrc, i.nrc_vat, i.mrc, i.mrc_vat, i.did_group_id, i.sku_id,
         i.nanpa_prefix_id, i.billing_cycles_count, case when not w.needs_registration then p_billed_from end,
         case when not w.needs_registration then p_billed_to end
  from json_populate_recordset(null::order_items, p_items) i,
    lateral (select (select g.needs_registration from did_groups g where g.id = i.did_group_id) as needs_registration) w;
  for item in
    select * from json_to_recordset(p_items) as i (
      position integer, qty integer, did_group_id uuid, nanpa_prefix_id uuid, available_did_id uuid, did_reservation_id uuid,
      back_orderable boolean)
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
    got := coalesce(cardinality(numbers), 0);
    if got < item.qty then
      if item.available_did_id is not null or item.did_reservation_id is not null then
        perform refuse_order('number', item.position, null);
      elsif not (p_back_orders and item.back_orderable) then
        perform refuse_order('stock', item.position, null);
      end if;
      update order_items i set missing = item.qty - got where i.order_id = p_order.id and i.position = item.position;
      completed := false;
    end if;
    all_numbers := all_numbers || numbers;
    all_prefixes := all_prefixes || prefixes;
    positions := positions || array_fill(item.position, array[got]);
  end loop;
  if p_month_ends is not null and not completed then
    update order_items i set billed_from = null, billed_to = null where i.order_id = p_order.id;
    update orders o set status = p_order.status, finished_at = null where o.id = p_order.id;
  end if;
  with added as (
    insert into dids (account_id, number, nanpa_prefix_id, did_group_id, sku_id, order_id, order_position,
                      channels_included_count, billing_cycles_count, created_at, activated_at, awaiting_registration,
                      billed_since, periods, expires_at, due_at)
    select p_order.account_id, n.number, n.prefix, i.did_group_id, i.sku_id, p_order.id, n.position, s.channels_included_count,
           i.billing_cycles_count, p_order.created_at, case when completed then p_order.created_at end,
           completed and g.needs_registration, a.billed_since, coalesce(a.periods, 0), a.expires_at, a.due_at
    from unnest(all_numbers, all_prefixes, positions) as n (number, prefix, position)
      join order_items i on i.order_id = p_order.id and i.position = n.position
      join stock_keeping_units s on s.id = i.sku_id
      join did_groups g on g.id = i.did_group_id
      left join lateral activation_of(
        g.needs_registration, p_order.account_id, p_order.created_at, p_month_ends, p_registration_days) a on completed
    returning number, due_at
  )
  select array_agg(d.number) as numbers, array_agg(d.due_at) as due into activated from added d;
  if completed then
    perform record_activation(p_order.account_id, activated.numbers, activated.due, p_order.created_at);
    select sum(i.qty * (i.nrc_vat + i.mrc_vat)) into strict tax from order_items i where i.order_id = p_order.id;
    spendable := take_money(p_order.account_id, 'order', p_order.id, p_order.id, p_order.vat_rate, p_order.created_at,
      array['customer', 'revenue', 'vat'], array[-p_order.amount, p_order.amount - tax, tax]);
  else
    if p_job is not null then
      job_id := queue_job('orders.fulfil', p_job, p_order.created_at, p_job_due, null, p_job_priority, p_taken_by);
    end if;
    spendable := hold_money(
      p_order.account_id, 'order', p_order.id, p_order.id, p_order.created_at, p_order.amount);
  end if;
  if spendable is not null then
    perform refuse_order('balance', null, spendable);
  end if;
  return job_id;
end $$;

-- For processes of the version before this one.
create or replace function place_did_order(
  p_order orders, p_items json, p_back_orders boolean, p_job json, p_job_due timestamptz, p_job_priority int, p_taken_by text)
returns placed_order language plpgsql as $$
declare
  placed placed_order;
  refused text;
begin
  placed.job_id := place_did_order(p_order, p_items, p_back_orders, p_job, p_job_due, p_job_priority, p_taken_by,
    null::timestamptz, null::int, null::date, null::date);
  return placed;
exception when sqlstate 'TL001' then
  get stacked diagnostics refused = pg_exception_detail;
  return json_populate_record(null::placed_order, refused::json);
end $$;

-- The sale of one number, which is nearly every one, touches one block: there is no order of locks to keep, and what the update
-- returns says whether the block is empty.
create or replace function stock_blocks_remove() returns trigger language plpgsql as $$
declare
  emptied text[];
begin
  -- Rows are locked in one order, so that two orders never wait for each other in a circle.
  if (select count(*) from removed) > 1 then
    perform 1 from stock_blocks b
      join (select distinct left(number, -3) as base, did_group_id from removed) r using (base, did_group_id)
      order by b.base, b.did_group_id for update of b;
  end if;
  with sold as (
    update stock_blocks b
      set available = b.available - r.n, bits = b.bits & ~r.bits
    from (
      select left(number, -3) as base, did_group_id, count(*)::int as n,
             bit_or(set_bit(B'0'::bit(1000), right(number, 3)::int, 1)) as bits
      from removed group by 1, 2
    ) r
    where b.base = r.base and b.did_group_id = r.did_group_id
    returning b.base, b.available
  )
  select array_agg(s.base) filter (where s.available = 0) into emptied from sold s;
  if emptied is not null then
    delete from stock_blocks b using (select distinct did_group_id from removed) r
    where b.base = any (emptied) and b.did_group_id = r.did_group_id and b.available = 0;
  end if;
  return null;
end $$;

-- As before (0130), with look-ups of the few transactions instead of joins: a joined plan may read all of them.
create or replace function ledger_entries_apply() returns trigger language plpgsql as $$
begin
  if exists (select 1 from added group by transaction_id having sum(amount) <> 0) or exists (
    select 1 from added a
    where a.account_id <> (select t.account_id from ledger_transactions t where t.id = a.transaction_id)
  ) then
    raise exception 'ledger entries that do not balance, or are of another account than their transaction'
      using errcode = 'check_violation';
  end if;
  if exists (
    select 1 from added a where a.ledger in ('revenue', 'vat', 'refunds')
      and (select t.vat_rate from ledger_transactions t where t.id = a.transaction_id) is null
  ) then
    raise exception 'a ledger transaction that earns or refunds names its VAT rate' using errcode = 'check_violation';
  end if;
  update accounts a set balance = a.balance + moved.amount
  from (select account_id, sum(amount) as amount from added where ledger = 'customer' group by account_id) moved
  where a.id = moved.account_id;
  return null;
end $$;

-- Planned anew for every sale, since a plan for any block looks more expensive than one for this block, finding the numbers of a
-- block took longer to plan than to do.
alter function pick_stock(uuid, uuid, integer, timestamptz, text[], boolean) set plan_cache_mode = force_generic_plan;
alter function take_stock(uuid, uuid, integer, timestamptz, text[]) set plan_cache_mode = force_generic_plan;
