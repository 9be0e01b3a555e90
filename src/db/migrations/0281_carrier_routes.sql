-- Which carriers take calls to which numbers, and what they charge for them.

-- The longest prefix goes first, then the lowest priority; among equal priorities a carrier is drawn by weight.
create table carrier_routes (
  carrier_id uuid not null references carriers on delete cascade,
  prefix text not null check (prefix ~ '^[0-9]*$'),
  priority integer not null default 10,
  weight integer not null default 10 check (weight >= 0),
  primary key (prefix, carrier_id)
);
create index carrier_routes_carrier on carrier_routes (carrier_id);

-- What a carrier charges the operator for a minute, by the longest prefix of the number that is called; without VAT.
create table carrier_rates (
  carrier_id uuid not null references carriers on delete cascade,
  prefix text not null check (prefix ~ '^[0-9]*$'),
  per_minute numeric(12, 6) not null check (per_minute >= 0),
  connection_fee numeric(12, 4) not null default 0 check (connection_fee >= 0),
  initial_interval integer not null default 1 check (initial_interval > 0),
  next_interval integer not null default 1 check (next_interval > 0),
  primary key (carrier_id, prefix)
);

-- For the operator only: what the carrier of the call charges for it, and what is left of the price without VAT. Null
-- where the carrier has no rate.
alter table cdrs_out add column carrier_rate numeric(12, 6), add column carrier_cost numeric(12, 4),
  add column margin numeric(12, 4);
