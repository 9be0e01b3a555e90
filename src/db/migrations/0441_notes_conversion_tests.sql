-- Notes of operators about customers; how many codes come back, by the hour; blocks of prefixes; tests of peers.

create table account_notes (
  id uuid primary key,
  account_id uuid not null references accounts,
  text text not null,
  actor text not null,
  created_at timestamptz not null
);
create index account_notes_account on account_notes (account_id, created_at);

-- What became of verifications, by the ten minutes in which they were started. A job counts again what may still change,
-- so no request writes here.
create table verification_conversion (
  started timestamptz not null,
  account_id uuid not null references accounts,
  -- The first six digits of the number.
  prefix text not null,
  country text not null,
  delivery_method text not null check (delivery_method in ('sms', 'callout')),
  -- The provider that took the message, or the carrier that carried the call; the nil UUID for neither.
  provider_id uuid not null,
  carrier_id uuid not null,
  starts integer not null,
  -- Given to a provider, or answered by the called party.
  sent integer not null,
  verified integer not null,
  -- Could not be sent.
  failed integer not null,
  -- Sent, and then replaced by a newer start for the same number: it says nothing about the number.
  superseded integer not null,
  -- Sent, and its code can still come back.
  open integer not null,
  -- Milliseconds from the beginning to the end of sending, over all that were sent.
  sending_ms bigint not null,
  primary key (started, prefix, account_id, delivery_method, provider_id, carrier_id)
);
create index verification_conversion_prefix on verification_conversion (prefix, started);

-- What is decided about numbers with a prefix. `safe` is never blocked; `monitor` is what would be blocked.
create table prefix_blocks (
  id uuid primary key,
  prefix text not null check (prefix ~ '^[1-9][0-9]{0,14}$'),
  -- Null for every account.
  account_id uuid references accounts,
  mode text not null check (mode in ('monitor', 'block', 'safe')),
  reason text not null,
  -- What was measured, of an automatic one.
  measured jsonb,
  actor text not null,
  created_at timestamptz not null,
  -- Null for ever.
  until timestamptz,
  lifted_at timestamptz,
  lifted_by text,
  lift_reason text
);
create index prefix_blocks_created on prefix_blocks (created_at);
-- One decision at a time for a prefix and an account.
create unique index prefix_blocks_in_force on prefix_blocks (prefix, coalesce(account_id, '00000000-0000-0000-0000-000000000000'))
  where lifted_at is null;

create function tell_prefix_blocks_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'prefix_blocks 1');
  return null;
end $$;
create trigger prefix_blocks_changed after insert or update or delete on prefix_blocks
  for each statement execute function tell_prefix_blocks_changed();

-- Messages and requests that an operator sent to see whether a provider or a carrier works.
create table peer_tests (
  id uuid primary key,
  kind text not null check (kind in ('sms', 'options')),
  provider_id uuid references verification_providers on delete set null,
  carrier_id uuid references carriers on delete set null,
  -- The name stays when the peer is removed.
  peer text not null,
  destination text,
  status text not null check (status in ('waiting', 'passed', 'failed')),
  result text,
  milliseconds integer,
  actor text not null,
  created_at timestamptz not null,
  finished_at timestamptz
);
create index peer_tests_created on peer_tests (created_at);
