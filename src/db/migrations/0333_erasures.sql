-- Personal data of an account that was erased on request: the proof of what went, what stayed, and why.
create table erasures (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  -- What → how many records.
  erased jsonb not null,
  -- What → how many records, and why they must be kept.
  kept jsonb not null,
  reason text not null,
  actor text not null,
  created_at timestamptz not null,
  constraint erasures_account unique (account_id)
);
