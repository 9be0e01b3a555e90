-- A rate as voice_routes returns it.
create or replace function voice_rate_json(rate voice_rates) returns json language sql immutable as $$
  select json_build_object('perMinute', rate.per_minute::text, 'connectionFee', rate.connection_fee::text,
    'initialInterval', rate.initial_interval, 'nextInterval', rate.next_interval)
$$;
