-- Notices when a balance falls below the threshold of its alert, once per crossing, and queues the e-mail.
create or replace function balance_alert_crossed() returns trigger language plpgsql as $$
begin
  if new.balance < old.balance then
    update balance_alerts set is_below = true, crossed_at = environment_time.now()
      where account_id = new.id and not is_below and new.balance < threshold;
    if found then
      perform queue_job('money.low_balance', json_build_object('account_id', new.id, 'balance', new.balance::text),
        environment_time.now(), priority => -10);
    end if;
  else
    update balance_alerts set is_below = false where account_id = new.id and is_below and new.balance >= threshold;
  end if;
  return null;
end $$;

create or replace trigger accounts_balance_alert after update of balance on accounts
  for each row when (old.balance is distinct from new.balance) execute function balance_alert_crossed();
