-- What operators did with many jobs or callbacks at once: retried or discarded them, and how many there were.
create table bulk_actions (
  id uuid primary key default gen_random_uuid(),
  subject text not null check (subject in ('jobs', 'deliveries')),
  action text not null check (action in ('retry', 'discard')),
  -- Only jobs of this task, only callbacks of this account; null for all.
  task text,
  account_id uuid references accounts,
  -- Those that fell due (jobs) or were created (callbacks) in this time.
  since timestamptz,
  until timestamptz,
  count integer not null,
  reason text not null,
  actor text not null,
  created_at timestamptz not null
);
create index bulk_actions_created on bulk_actions (created_at);
