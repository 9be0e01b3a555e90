-- Lists in the order of their creation: ranges of days and minutes, in UTC.
create or replace function time_parts(at timestamptz) returns text[] language sql stable as $$
  select array['1 ' || to_char(at at time zone 'UTC', 'YYYY-MM-DD'), '2 ' || to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI')]
$$;
