-- The milliseconds that the factor has added by then; at most the hundred years that a clock may be ahead.
create or replace function clock_gained_ms(state environment_state, at timestamptz) returns double precision language sql immutable as $$
  select case when state.clock_factor is null or state.clock_factor_since is null then 0 else
    least(greatest(extract(epoch from at - state.clock_factor_since)::double precision, 0) * (state.clock_factor - 1) * 1000,
          greatest(3155760000000 - state.clock_offset_ms, 0))
  end
$$;
