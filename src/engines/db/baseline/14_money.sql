-- The ledger: double entry, append only. Nothing but its trigger (ledger_entries_apply) ever changes accounts.balance.

create table ledger_transactions (
  id bigint generated always as identity primary key,
  account_id uuid not null references accounts,
  -- Why money moved, and what it is about. The occasion tells repeated charges for one thing apart (a renewal's
  -- period).
  cause text not null check (cause in ('opening_balance', 'top_up', 'adjustment', 'order', 'order_completed',
    'order_canceled', 'renewal', 'restoration', 'pool_renewal', 'emergency', 'emergency_renewal', 'refund',
    'verification_fee', 'verification_message', 'metered_minutes', 'call_charge')),
  reference uuid not null,
  occasion text not null default '',
  -- The order that shows this movement to the customer, where there is one.
  order_id uuid,
  created_at timestamptz not null,
  -- The rate a movement was taxed with; null where nothing is earned or refunded (payments, holds).
  vat_rate numeric(6, 3),
  -- Nothing is charged, refunded or topped up twice.
  unique (cause, reference, occasion)
);
create index ledger_transactions_account on ledger_transactions (account_id, id);
create index ledger_transactions_order on ledger_transactions (order_id) where order_id is not null;
create index ledger_transactions_account_time on ledger_transactions (account_id, created_at);
create index ledger_transactions_time on ledger_transactions (created_at, id);

-- A positive amount raises what that ledger holds. Every ledger is kept per customer, so that no two customers ever
-- wait for each other on a row of the house.
create table ledger_entries (
  transaction_id bigint not null references ledger_transactions,
  ledger text not null check (ledger in ('customer', 'holds', 'revenue', 'vat', 'refunds', 'funding')),
  account_id uuid not null,
  amount numeric(18, 4) not null check (amount <> 0),
  primary key (transaction_id, ledger)
);
create index ledger_entries_account on ledger_entries (account_id, ledger);

-- The proof of tax begins after these: what was booked before was split by another rule.
create table exact_tax_since (
  only_row boolean primary key default true check (only_row),
  ledger_transaction_id bigint not null,
  order_seq bigint not null
);
insert into exact_tax_since (ledger_transaction_id, order_seq) values (0, 0);
