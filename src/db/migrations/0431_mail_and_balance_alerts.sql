-- E-mails on their way, and the balance below which a customer is told.

-- The text is sealed, since it may hold a link that sets a password, and forgotten once the e-mail was sent or given up.
create table mails (
  id uuid primary key default gen_random_uuid(),
  account_id uuid references accounts on delete cascade,
  kind text not null check (kind in ('low_balance', 'reset', 'invitation')),
  recipient text,
  sealed_text text,
  attempts integer not null default 0,
  last_error text,
  created_at timestamptz not null,
  sent_at timestamptz,
  given_up_at timestamptz
);
create index mails_created on mails (created_at);
create index mails_account on mails (account_id) where account_id is not null;

create table balance_alerts (
  account_id uuid primary key references accounts on delete cascade,
  threshold numeric(18, 4) not null,
  callback_url text,
  -- Whether the balance is below now; the trigger keeps it, so that each crossing is noticed once.
  is_below boolean not null,
  crossed_at timestamptz
);

create function balance_alert_crossed() returns trigger language plpgsql as $$
begin
  if new.balance < old.balance then
    update balance_alerts set is_below = true, crossed_at = environment_time.now()
      where account_id = new.id and not is_below and new.balance < threshold;
    if found then
      perform graphile_worker.add_job('money.low_balance', json_build_object('account_id', new.id, 'balance', new.balance::text),
        run_at => environment_time.now(), priority => -10);
    end if;
  else
    update balance_alerts set is_below = false where account_id = new.id and is_below and new.balance >= threshold;
  end if;
  return null;
end $$;
create trigger accounts_balance_alert after update of balance on accounts
  for each row when (old.balance is distinct from new.balance) execute function balance_alert_crossed();
