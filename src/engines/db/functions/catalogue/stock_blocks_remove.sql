-- Takes numbers that leave the stock out of their blocks. Blocks without a number are dropped, so that an order never
-- has to step over what was sold long ago. The sale of one number, which is nearly every one, touches one block: there
-- is no order of locks to keep, and what the update returns says whether the block is empty.
create or replace function stock_blocks_remove() returns trigger language plpgsql as $$
declare
  emptied text[];
begin
  -- Rows are locked in one order, so that two orders never wait for each other in a circle.
  if (select count(*) from removed) > 1 then
    perform 1 from stock_blocks b
      join (select distinct left(number, -3) as base, did_group_id from removed) r using (base, did_group_id)
      order by b.base, b.did_group_id for update of b;
  end if;
  with sold as (
    update stock_blocks b
      set available = b.available - r.n, bits = b.bits & ~r.bits
    from (
      select left(number, -3) as base, did_group_id, count(*)::int as n,
             bit_or(set_bit(B'0'::bit(1000), right(number, 3)::int, 1)) as bits
      from removed group by 1, 2
    ) r
    where b.base = r.base and b.did_group_id = r.did_group_id
    returning b.base, b.available
  )
  select array_agg(s.base) filter (where s.available = 0) into emptied from sold s;
  if emptied is not null then
    delete from stock_blocks b using (select distinct did_group_id from removed) r
    where b.base = any (emptied) and b.did_group_id = r.did_group_id and b.available = 0;
  end if;
  return null;
end $$;

create or replace trigger available_dids_removed after delete on available_dids
  referencing old table as removed for each statement execute function stock_blocks_remove();
