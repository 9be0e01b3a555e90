-- One row per attempt to sign in that counts and per subject it counts for. Rows are only added and removed, never changed:
-- nobody waits for anybody. sign_in_attempts stays for processes of the version before and is dropped by a later release.

create table sign_in_failures (
  -- Digest of the e-mail address, the client's address, or both: neither can be read from it.
  subject bytea not null,
  attempt_id uuid not null,
  at timestamptz not null,
  primary key (subject, attempt_id)
);
create index sign_in_failures_at on sign_in_failures (at);

-- Whoever has to wait goes on waiting: as many rows as there were failures.
insert into sign_in_failures (subject, attempt_id, at)
select subject, gen_random_uuid(), last_at
from sign_in_attempts, generate_series(1, least(failures, 200));
