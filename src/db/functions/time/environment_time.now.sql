-- The environment's time inside the database. The job queue's connections have this schema before pg_catalog in their
-- search_path, so that the queue's own now() is the environment's time: what is due, when a failed job is tried again, how long
-- a lock is held.
create or replace function environment_time.now() returns timestamptz language sql stable as $$
  select coalesce(
    s.clock_stands_at,
    pg_catalog.now()
      + (s.clock_offset_ms + public.clock_gained_ms(s, pg_catalog.now())) * interval '1 millisecond')
  from public.environment_state s
$$;
