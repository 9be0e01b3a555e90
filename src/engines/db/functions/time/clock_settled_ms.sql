-- How far a clock is ahead that runs on from here: what its factor has added counts, and an advance that was broken off
-- ends where it had come to.
create or replace function clock_settled_ms(state environment_state, at timestamptz) returns bigint language sql immutable as $$
  select greatest(state.clock_offset_ms + ceil(clock_gained_ms(state, at))::bigint,
                  ceil(extract(epoch from state.clock_stands_at - at) * 1000)::bigint)
$$;
