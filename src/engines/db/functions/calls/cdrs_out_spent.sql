-- What a trunk has spent counts with its CDRs, whoever writes them.
create or replace function cdrs_out_spent() returns trigger language plpgsql as $$
begin
  if exists (select from added where price > 0) then
    perform 1 from voice_out_trunks where id in (select voice_out_trunk_id from added where price > 0) order by id for no key update;
    update voice_out_trunks t set spent_at_most = t.spent_at_most + s.price
    from (select voice_out_trunk_id, sum(price) as price from added group by 1) s where t.id = s.voice_out_trunk_id;
  end if;
  return null;
end $$;

create or replace trigger cdrs_out_spent after insert on cdrs_out
  referencing new table as added for each statement execute function cdrs_out_spent();
