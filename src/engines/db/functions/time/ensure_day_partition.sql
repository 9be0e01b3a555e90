-- As ensure_month_partition, by day.
create or replace function ensure_day_partition(parent text, moment timestamptz) returns boolean language plpgsql as $$
declare
  first date := (moment at time zone 'UTC')::date;
  part text := parent || to_char(first, '_YYYY_MM_DD');
begin
  if to_regclass(part) is not null then
    return false;
  end if;
  perform pg_advisory_xact_lock(hashtext('trunkline partition'), hashtext(part));
  if exists (select from pg_class where relname = part) then
    return false;
  end if;
  execute format('create table %I (like %I including defaults including constraints)', part, parent);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part,
    first::timestamp at time zone 'UTC', (first + 1)::timestamp at time zone 'UTC');
  return true;
end $$;
