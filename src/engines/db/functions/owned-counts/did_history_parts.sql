-- The history of numbers: entries are only ever added, and go by months. Those of a day are counted by action and by
-- method.
create or replace function did_history_parts(at timestamptz, action text, method text) returns text[] language sql stable as $$
  select time_parts(at) || array[
    'action=' || action || to_char(at at time zone 'UTC', ' YYYY-MM-DD'), 'method=' || method || to_char(at at time zone 'UTC', ' YYYY-MM-DD')]
$$;
