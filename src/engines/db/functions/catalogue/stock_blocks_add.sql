-- Counts numbers that arrive in their thousands-blocks (stock_blocks). Whether a block was refused is seen by counting:
-- looking for it among thousands of blocks took most of the time of an import.
create or replace function stock_blocks_add() returns trigger language plpgsql as $$
declare
  missing bigint;
begin
  with blocks as materialized (
    select left(number, -3) as base, did_group_id, nanpa_prefix_id, count(*)::int as available,
           bit_or(set_bit(B'0'::bit(1000), right(number, 3)::int, 1)) as bits
    from added group by 1, 2, 3
  ), written as (
    insert into stock_blocks as b (base, did_group_id, nanpa_prefix_id, available, bits)
    select base, did_group_id, nanpa_prefix_id, available, bits from blocks order by 1, 2
    on conflict (base, did_group_id) do update
      set available = b.available + excluded.available, bits = b.bits | excluded.bits
      where b.nanpa_prefix_id is not distinct from excluded.nanpa_prefix_id
    returning 1
  )
  select (select count(*) from blocks) - (select count(*) from written) into missing;
  if missing > 0 then
    raise exception 'numbers of the block % have another NANPA prefix than those in stock', (
      select b.base from added a join stock_blocks b on b.base = left(a.number, -3) and b.did_group_id = a.did_group_id
      where b.nanpa_prefix_id is distinct from a.nanpa_prefix_id limit 1);
  end if;
  return null;
end $$;

create or replace trigger available_dids_added after insert on available_dids
  referencing new table as added for each statement execute function stock_blocks_add();
