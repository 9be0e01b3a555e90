-- Faults that a test has asked for. Only a sandbox, or a world of it, has rows here.

create table faults (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- Which requests or happenings it is for; an empty object is for all of them.
  match jsonb not null,
  -- What happens instead.
  action jsonb not null,
  -- Null: for ever.
  times_left integer check (times_left >= 0),
  probability numeric not null check (probability > 0 and probability <= 1),
  -- With this seed the same draws hit in every run.
  seed bigint not null,
  draws integer not null default 0,
  hits integer not null default 0,
  created_at timestamptz not null,
  seq bigint generated always as identity
);
create index faults_account on faults (account_id);
