-- The history of numbers that were activated, and the jobs that check them when their month, or the time to register
-- them, is over. One job for a moment and an account: with one for all, orders of the same millisecond would wait for
-- each other's commit.
create or replace function record_activation(p_account uuid, p_numbers text[], p_due timestamptz[], p_now timestamptz, p_method text)
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
  select p_account, n.number, 'assigned', coalesce(p_method, 'api3'), p_now from unnest(p_numbers) as n (number);
  foreach due in array p_due loop
    if not due = any (planned) then
      perform queue_keyed_job('dids.settle_due',
        'dids.settle_due:' || to_char(due at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ':' || p_account, p_now, due, 0);
      planned := planned || due;
    end if;
  end loop;
end $$;
