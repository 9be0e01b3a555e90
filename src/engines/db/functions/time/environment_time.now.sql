-- The environment's time inside the database: what is due, and when a failed job is tried again.
create or replace function environment_time.now() returns timestamptz language sql stable as $$
  select coalesce(
    s.clock_stands_at,
    pg_catalog.now()
      + (s.clock_offset_ms + public.clock_gained_ms(s, pg_catalog.now())) * interval '1 millisecond')
  from public.environment_state s
$$;
