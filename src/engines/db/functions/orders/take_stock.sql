-- Takes up to p_qty numbers of a group (and NPA-NXX) out of the stock. Buyers work on different thousands-blocks: each
-- takes a block nobody else has. Only when that is not enough does it start over and wait, block after block in one
-- order, so that nobody waits in a circle and the last number is never missed.
create or replace function take_stock(
  p_group uuid, p_prefix uuid, p_qty integer, p_now timestamptz, p_declined text[] default '{}')
returns table (number text, nanpa_prefix_id uuid) language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  taken uuid[] := '{}';
begin
  begin
    taken := pick_stock(p_group, p_prefix, p_qty, p_now, p_declined, false);
    if cardinality(taken) < p_qty and exists (
      select 1 from stock_blocks b
      where b.did_group_id = p_group and (p_prefix is null or b.nanpa_prefix_id = p_prefix)
    ) then
      raise exception using errcode = 'lock_not_available';
    end if;
  exception when lock_not_available then
    taken := pick_stock(p_group, p_prefix, p_qty, p_now, p_declined, true);
  end;
  return query delete from available_dids a where a.id = any (taken) returning a.number, a.nanpa_prefix_id;
end $$;
