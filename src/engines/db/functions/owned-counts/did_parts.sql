-- Numbers: ranges of six and nine digits.
create or replace function did_parts(
  number text, did_group_id uuid, terminated boolean, awaiting boolean, blocked_by_staff boolean, emergency boolean,
  trunk uuid, trunk_group uuid, pool uuid, shared_group uuid)
returns text[] language sql stable as $$
  select array[
    '', '1 ' || left(number, 6), '2 ' || left(number, 9),
    'blocked=' || (terminated or awaiting or blocked_by_staff)::text, 'awaiting_registration=' || awaiting::text,
    'terminated=' || terminated::text, 'emergency_enabled=' || emergency::text, 'did_group.id=' || did_group_id::text,
    'voice_in_trunk.id=' || coalesce(trunk::text, ''), 'voice_in_trunk_group.id=' || coalesce(trunk_group::text, ''),
    'capacity_pool.id=' || coalesce(pool::text, ''), 'shared_capacity_group.id=' || coalesce(shared_group::text, '')]
$$;
