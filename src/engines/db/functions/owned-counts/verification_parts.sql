-- What a verification is counted in: all, by application and by method, and in ranges of days and minutes. None of
-- these columns ever changes, so an update counts nothing.
create or replace function verification_parts(at timestamptz, application_id uuid, method text) returns text[] language sql stable as $$
  select array['', 'application.id=' || application_id::text, 'delivery_method=' || method] || time_parts(at)
$$;
