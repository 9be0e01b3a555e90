-- Money: double entry, append only. Nothing but the trigger below ever changes accounts.balance.

create table ledger_transactions (
  id bigint generated always as identity primary key,
  account_id uuid not null references accounts,
  -- Why money moved, and what it is about. The occasion tells repeated charges for one thing apart (a renewal's period).
  cause text not null check (cause in (
    'opening_balance', 'top_up', 'adjustment', 'order', 'order_completed', 'order_canceled', 'renewal', 'restoration',
    'pool_renewal', 'emergency', 'emergency_renewal', 'refund', 'verification_fee', 'metered_minutes', 'call_charge')),
  reference uuid not null,
  occasion text not null default '',
  -- The order that shows this movement to the customer, where there is one.
  order_id uuid,
  created_at timestamptz not null,
  -- Nothing is charged, refunded or topped up twice.
  unique (cause, reference, occasion)
);
create index ledger_transactions_account on ledger_transactions (account_id, id);
create index ledger_transactions_order on ledger_transactions (order_id) where order_id is not null;

-- A positive amount raises what that ledger holds. Every ledger is kept per customer, so that no two customers ever
-- wait for each other on a row of the house.
create table ledger_entries (
  transaction_id bigint not null references ledger_transactions,
  ledger text not null check (ledger in ('customer', 'holds', 'revenue', 'vat', 'refunds', 'funding')),
  account_id uuid not null references accounts,
  amount numeric(18, 4) not null check (amount <> 0),
  primary key (transaction_id, ledger)
);
create index ledger_entries_account on ledger_entries (account_id, ledger);

create function ledger_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append only: % of % refused', tg_op, tg_table_name;
end $$;
create trigger ledger_transactions_append_only before update or delete or truncate on ledger_transactions
  for each statement execute function ledger_is_append_only();
create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
  for each statement execute function ledger_is_append_only();

create function ledger_transaction_balances() returns trigger language plpgsql as $$
declare
  total numeric;
  entries integer;
begin
  select coalesce(sum(e.amount), 0), count(*) into total, entries
    from ledger_entries e where e.transaction_id = new.id;
  if total <> 0 or entries < 2 then
    raise exception 'ledger transaction % has % entries that sum to %', new.id, entries, total
      using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger ledger_transactions_balance after insert on ledger_transactions
  deferrable initially deferred for each row execute function ledger_transaction_balances();

-- The entries of one transaction arrive together. The deferred check above is made once, when the transaction is new;
-- this one keeps a proven transaction proven.
create function ledger_entries_apply() returns trigger language plpgsql as $$
begin
  if exists (select 1 from added group by transaction_id having sum(amount) <> 0) or exists (
    select 1 from added join ledger_transactions t on t.id = added.transaction_id where t.account_id <> added.account_id
  ) then
    raise exception 'ledger entries that do not balance, or are of another account than their transaction'
      using errcode = 'check_violation';
  end if;
  update accounts a set balance = a.balance + moved.amount
  from (select account_id, sum(amount) as amount from added where ledger = 'customer' group by account_id) moved
  where a.id = moved.account_id;
  return null;
end $$;
create trigger ledger_entries_applied after insert on ledger_entries
  referencing new table as added for each statement execute function ledger_entries_apply();

create function accounts_balance_guard() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.balance <> 0 then
      raise exception 'an account starts at zero; its opening balance is a ledger transaction'
        using errcode = 'check_violation';
    end if;
  -- Depth 2 is the ledger's own trigger.
  elsif new.balance is distinct from old.balance and pg_trigger_depth() < 2 then
    raise exception 'a balance changes only by a ledger transaction' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger accounts_balance_inserted before insert on accounts
  for each row execute function accounts_balance_guard();
create trigger accounts_balance_updated before update of balance on accounts
  for each row execute function accounts_balance_guard();
