-- Locks what a call is about to count, in one order for all callers, and counts it. A volatile function sees, after its
-- locks, what others have committed before releasing them; a plain statement would count as of its own beginning. Null
-- stands for what has no limit and need not be counted: most inbound calls have neither a shared group nor limits of
-- trunks.
create or replace function voice_channels_in_use(did uuid, capacity_group uuid, trunk_group uuid, trunks uuid[])
returns table (number_total int, included int, dedicated int, shared int, metered int, in_group int, by_trunk jsonb)
language plpgsql volatile as $$
declare
  trunk uuid;
begin
  -- All locks before the first count, in one order for every caller.
  if did is not null then
    perform pg_advisory_xact_lock(7421031, hashtext(did::text));
  end if;
  if capacity_group is not null then
    perform pg_advisory_xact_lock(7421032, hashtext(capacity_group::text));
  end if;
  if trunk_group is not null then
    perform pg_advisory_xact_lock(7421033, hashtext(trunk_group::text));
  end if;
  if cardinality(trunks) > 0 then
    for trunk in select distinct t from unnest(trunks) t order by t loop
      perform pg_advisory_xact_lock(7421034, hashtext(trunk::text));
    end loop;
  end if;
  number_total := 0;
  included := 0;
  dedicated := 0;
  shared := 0;
  metered := 0;
  in_group := 0;
  by_trunk := '{}';
  if did is not null then
    select count(*), count(*) filter (where o.channel = 'included'), count(*) filter (where o.channel = 'dedicated')
      into number_total, included, dedicated from open_calls o where o.did_id = did;
  end if;
  if capacity_group is not null then
    select count(*) filter (where o.channel = 'shared'), count(*) filter (where o.channel = 'metered')
      into shared, metered from open_calls o where o.shared_capacity_group_id = capacity_group;
  end if;
  if trunk_group is not null then
    select count(*) into in_group from open_calls o where o.trunk_group_id = trunk_group;
  end if;
  if cardinality(trunks) > 0 then
    select coalesce(jsonb_object_agg(x.trunk_id, x.n), '{}') into by_trunk
      from (select o.trunk_id, count(*) as n from open_calls o where o.trunk_id = any(trunks) group by 1) x;
  end if;
  return next;
end $$;
