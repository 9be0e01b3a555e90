-- A sandbox's clock may run faster than the machine's: from `clock_factor_since` on, every second counts as `clock_factor` ones.
-- Without a factor it runs as fast. A factor without `since` belongs to a snapshot, and begins to count when that is opened.
alter table environment_state
  add column clock_factor int check (clock_factor > 1),
  add column clock_factor_since timestamptz;

-- The milliseconds that the factor has added by then; at most the hundred years that a clock may be ahead.
create function clock_gained_ms(state environment_state, at timestamptz) returns double precision language sql immutable as $$
  select case when state.clock_factor is null or state.clock_factor_since is null then 0 else
    least(greatest(extract(epoch from at - state.clock_factor_since)::double precision, 0) * (state.clock_factor - 1) * 1000,
          greatest(3155760000000 - state.clock_offset_ms, 0))
  end
$$;

create or replace function environment_time.now() returns timestamptz language sql stable as $$
  select coalesce(
    s.clock_stands_at,
    pg_catalog.now()
      + (s.clock_offset_ms + public.clock_gained_ms(s, pg_catalog.now())) * interval '1 millisecond')
  from public.environment_state s
$$;

create or replace function tell_clock_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'clock ' || json_build_object(
    'version', new.clock_version,
    'offsetMs', new.clock_offset_ms,
    'standsAtMs', floor(extract(epoch from new.clock_stands_at) * 1000),
    'factor', new.clock_factor,
    'factorSinceMs', floor(extract(epoch from new.clock_factor_since) * 1000))::text);
  return null;
end $$;
