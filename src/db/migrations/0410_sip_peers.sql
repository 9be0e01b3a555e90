-- What is known about the SIP peers of an environment, by OPTIONS requests in both directions. A row belongs to a carrier
-- or to an inbound trunk.
create table sip_peers (
  id uuid primary key default gen_random_uuid(),
  carrier_id uuid constraint sip_peers_carrier unique references carriers on delete cascade,
  trunk_id uuid constraint sip_peers_trunk unique references voice_in_trunks on delete cascade,
  -- Null until it was asked for the first time.
  state text check (state in ('up', 'down')),
  since timestamptz,
  checked_at timestamptz,
  -- What it answered, such as '200 OK', or why there is no answer.
  response text,
  round_trip_ms integer,
  -- The address that was asked last.
  address inet,
  -- When the peer itself sent OPTIONS last.
  heard_at timestamptz,
  -- The process that moves this forward asks the peer.
  next_check_at timestamptz,
  check (num_nonnulls(carrier_id, trunk_id) = 1)
);
create index sip_peers_address on sip_peers (address) where trunk_id is not null;

-- Whether the certificate of a carrier with SIP over TLS is verified, and the name that it must be for if that is not its host.
alter table carriers add column verify_certificate boolean not null default true;
alter table carriers add column certificate_name text;

-- Who called, as the caller's own logs name the call.
alter table cdrs_in add column caller_call_id text;
alter table cdrs_in add column user_agent text;
alter table cdrs_out add column user_agent text;
alter table call_traces add column user_agent text;
