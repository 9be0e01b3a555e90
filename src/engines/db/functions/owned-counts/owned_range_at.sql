-- The fine range of a list in which the entry with this position lies (0 is the first), and how many entries come
-- before the range. No row if the list is shorter. It adds up ranges in the order of their index and stops at the one
-- it looks for; only changes that are not folded yet have to be put in between.
create or replace function owned_range_at(owner uuid, of_list text, position_of bigint, descending boolean)
returns table (range text, before bigint) language plpgsql stable as $$
declare
  coarse text := '';
  level text;
  changing boolean := exists (select from owned_count_changes h where h.account_id = owner and h.list = of_list);
begin
  before := 0;
  foreach level in array array['1 ', '2 '] loop
    if changing then
      select r.range, owned_range_at.before + r.upto - r.entries into range, before
      from (
        select s.range, s.entries,
          sum(s.entries) over (order by case when descending then s.range end desc, case when not descending then s.range end) as upto
        from (
          select substr(e.part, 3) as range, sum(e.entries)::bigint as entries
          from (
            select c.part, c.entries from owned_counts c
            where c.account_id = owner and c.list = of_list and c.part >= level || coarse and c.part < level || coarse || 'z'
            union all
            select p.part, h.change from owned_count_changes h, unnest(h.parts) as p (part)
            where h.account_id = owner and h.list = of_list and p.part >= level || coarse and p.part < level || coarse || 'z'
          ) e group by 1
        ) s where s.entries > 0
      ) r
      where owned_range_at.before + r.upto > position_of
      order by r.upto limit 1;
    elsif descending then
      select substr(r.part, 3), owned_range_at.before + r.upto - r.entries into range, before
      from (
        select c.part, c.entries, sum(c.entries) over (order by c.part desc rows unbounded preceding)::bigint as upto from owned_counts c
        where c.account_id = owner and c.list = of_list and c.part >= level || coarse and c.part < level || coarse || 'z' and c.entries > 0
      ) r
      where owned_range_at.before + r.upto > position_of
      order by r.part desc limit 1;
    else
      select substr(r.part, 3), owned_range_at.before + r.upto - r.entries into range, before
      from (
        select c.part, c.entries, sum(c.entries) over (order by c.part rows unbounded preceding)::bigint as upto from owned_counts c
        where c.account_id = owner and c.list = of_list and c.part >= level || coarse and c.part < level || coarse || 'z' and c.entries > 0
      ) r
      where owned_range_at.before + r.upto > position_of
      order by r.part limit 1;
    end if;
    if range is null then
      return;
    end if;
    coarse := range;
  end loop;
  return next;
end $$;
