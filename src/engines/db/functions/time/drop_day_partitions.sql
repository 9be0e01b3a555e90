-- As drop_month_partitions, by day.
create or replace function drop_day_partitions(parent text, before timestamptz) returns integer language plpgsql as $$
declare
  part text;
  dropped integer := 0;
begin
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(parent)
      and to_date(right(c.relname, 10), 'YYYY_MM_DD') + 1 <= (before at time zone 'UTC')::date
  loop
    execute format('drop table if exists %I', part);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;
