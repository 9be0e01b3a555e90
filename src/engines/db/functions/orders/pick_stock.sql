-- The available numbers that `take_stock` takes, and locks on their rows.
create or replace function pick_stock(
  p_group uuid, p_prefix uuid, p_qty integer, p_now timestamptz, p_declined text[], p_wait boolean)
returns uuid[] language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  block record;
  picked uuid[] := '{}';
  last_base text collate "C" := '';
begin
  while cardinality(picked) < p_qty loop
    if p_wait then
      select b.base into block from stock_blocks b
        where b.did_group_id = p_group and b.base > last_base and (p_prefix is null or b.nanpa_prefix_id = p_prefix)
        order by b.base limit 1 for update;
    else
      select b.base into block from stock_blocks b
        where b.did_group_id = p_group and b.base > last_base and (p_prefix is null or b.nanpa_prefix_id = p_prefix)
        order by b.base limit 1 for update skip locked;
    end if;
    exit when not found;
    last_base := block.base;
    picked := picked || array(
      select a.id from available_dids a
      where a.number between block.base || '000' and block.base || '999'
        and left(a.number, -3) = block.base and a.did_group_id = p_group
        and (p_prefix is null or a.nanpa_prefix_id = p_prefix)
        and a.number <> all (p_declined)
        and not exists (select 1 from did_reservations r where r.available_did_id = a.id and r.expires_at > p_now)
      order by a.number limit p_qty - cardinality(picked)
      for update of a skip locked);
  end loop;
  return picked;
end $$;
