-- Carriers: the networks that bring calls in and take calls out.
create table carriers (
  id uuid primary key default gen_random_uuid(),
  name text not null constraint carriers_name unique,
  -- Where its calls come from; empty for a carrier that only takes calls.
  addresses cidr[] not null default '{}',
  -- Which of several carriers with the same network a call belongs to: the lowest.
  priority integer not null default 10,
  -- Leading digits of the numbers to which it may send calls; null for all numbers.
  prefixes text[] check (cardinality(prefixes) > 0),
  enabled boolean not null default true,
  transport text not null default 'udp' check (transport in ('udp', 'tcp', 'tls')),
  -- Where calls are sent to; null for a carrier that only brings calls. Without a port it is found by DNS.
  host text,
  port integer check (port between 1 and 65535),
  -- Digest credentials for calls that are sent to it; the password is sealed with the server key.
  username text,
  sealed_password text,
  created_at timestamptz not null,
  constraint carriers_port_needs_host check (port is null or host is not null),
  check ((username is null) = (sealed_password is null))
);

create function tell_carriers_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'carriers');
  return null;
end $$;
create trigger carriers_changed after insert or delete or update on carriers
  for each statement execute function tell_carriers_changed();
