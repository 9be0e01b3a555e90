-- How far the clock of a snapshot is ahead of the machine's, so that the time of a world made from it is known before its database is
-- opened; null for snapshots from before. Until its database is complete nobody may make a world from a snapshot.
alter table world_snapshots
  add column complete boolean not null default true,
  add column clock_offset_ms bigint;
alter table world_snapshots alter column complete drop default;

-- How far a clock is ahead that runs on from here: what its factor has added counts, and an advance that was broken off ends where it
-- had come to.
create function clock_settled_ms(state environment_state, at timestamptz) returns bigint language sql immutable as $$
  select greatest(state.clock_offset_ms + ceil(clock_gained_ms(state, at))::bigint,
                  ceil(extract(epoch from state.clock_stands_at - at) * 1000)::bigint)
$$;
