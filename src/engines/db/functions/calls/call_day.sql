-- The day (UTC) in which a call counts.
create or replace function call_day(p_start timestamptz) returns date language sql immutable as $$
  select (p_start at time zone 'UTC')::date
$$;
