-- Starts as the guards count them. A start only adds rows, one for each guard that counts it: no start waits for another one's
-- row. `verification_counters` keeps the sums of rows that were folded into it (src/verification/start-counts.ts).
create table verification_start_counts (
  guard text not null,
  subject text not null,
  window_start timestamptz not null,
  id bigint generated always as identity,
  -- 1 for a start; -1 if nothing of it was sent.
  count smallint not null,
  primary key (guard, subject, window_start, id)
);

-- Every start adds rows, and folding removes them soon: without frequent vacuuming the index fills with removed entries.
alter table verification_start_counts set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- A test call through a carrier (src/operator/peers/test-calls.ts): what the carrier answered last, and how long the phone rang.
alter table peer_tests drop constraint peer_tests_kind_check;
alter table peer_tests add constraint peer_tests_kind_check check (kind in ('sms', 'options', 'call'));
alter table peer_tests add column sip_code smallint;
alter table peer_tests add column answered boolean;
alter table peer_tests add column ring_milliseconds integer;
-- Calls that are under way, for the limits.
create index peer_tests_calls on peer_tests (created_at) where kind = 'call';

-- The proof of an erasure lists the files that lay in object storage.
alter table erasures add column object_keys text[] not null default '{}';
