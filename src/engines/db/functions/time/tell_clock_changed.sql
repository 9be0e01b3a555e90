-- Tells every process of the environment how its clock is set now.
create or replace function tell_clock_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'clock ' || json_build_object(
    'version', new.clock_version,
    'offsetMs', new.clock_offset_ms,
    'standsAtMs', floor(extract(epoch from new.clock_stands_at) * 1000),
    'factor', new.clock_factor,
    'factorSinceMs', floor(extract(epoch from new.clock_factor_since) * 1000))::text);
  return null;
end $$;

create or replace trigger clock_changed after update of clock_version on environment_state
  for each row execute function tell_clock_changed();
