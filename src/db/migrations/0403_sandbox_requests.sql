-- What clients have sent to a sandbox and got back, for tests; secrets are blanked before it is written. Only the newest are kept.
create table sandbox_requests (
  id bigint generated always as identity primary key,
  account_id uuid not null references accounts on delete cascade,
  at timestamptz not null,
  method text not null,
  path text not null,
  status integer not null,
  duration_ms integer not null,
  request text,
  response text
);
create index sandbox_requests_account on sandbox_requests (account_id, id);
