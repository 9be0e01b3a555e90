-- How a number goes on: renewed, until the end of its period, or ended.
create or replace function life_of(terminated boolean, billing_cycles_count integer) returns text language sql immutable as $$
  select case when terminated then 'stops' when billing_cycles_count = 0 then 'ends' else 'renews' end
$$;
