-- Corrections of a balance by an operator. The ledger has the movement, with the adjustment's id as its reference.

create table adjustments (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  kind text not null check (kind in ('credit', 'debit')),
  amount numeric(18, 4) not null check (amount > 0),
  -- Why; shown to nobody but operators.
  reason text not null,
  actor text not null,
  created_at timestamptz not null
);
create index adjustments_account on adjustments (account_id, created_at);
create index adjustments_created on adjustments (created_at);
