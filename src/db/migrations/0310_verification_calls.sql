-- Calls that spoke codes, one row per attempt through a carrier: what became of it and what the carrier charges, so that the
-- margin of calls is known. They are no calls of customers and in no CDR of theirs.
create table verification_calls (
  id uuid primary key default gen_random_uuid(),
  -- Not a reference: verifications are removed earlier.
  verification_id uuid not null,
  account_id uuid not null references accounts,
  destination text not null,
  -- What the called party saw; null if it was withheld.
  caller text,
  -- Null if there was no carrier to call through.
  carrier_id uuid,
  carrier_name text,
  -- The Call-ID, to find the call in a trace or at the carrier.
  sip_call_id text,
  started_at timestamptz not null,
  answered_at timestamptz,
  -- Null while the call is under way, and if its process was killed.
  ended_at timestamptz,
  outcome text check (outcome in ('spoken', 'hung_up_early', 'not_answered', 'refused', 'not_placed')),
  sip_code integer,
  reason text,
  -- Without VAT; null if the carrier has no rate for the number.
  cost numeric(20, 4)
);
create index verification_calls_started_at on verification_calls (started_at);
create index verification_calls_account_id on verification_calls (account_id, started_at);
