-- Tables that grow without end are partitioned by month of the environment's clock. Attaching takes no lock that a
-- reader or writer of the other months would wait for.
create or replace function ensure_month_partition(parent text, moment timestamptz) returns boolean language plpgsql as $$
declare
  first date := date_trunc('month', moment at time zone 'UTC')::date;
  part text := parent || to_char(first, '_YYYY_MM');
begin
  if to_regclass(part) is not null then
    return false;
  end if;
  perform pg_advisory_xact_lock(hashtext('trunkline partition'), hashtext(part));
  -- Not to_regclass again: it remembers "no such table" from before the wait.
  if exists (select from pg_class where relname = part) then
    return false;
  end if;
  execute format('create table %I (like %I including defaults including constraints)', part, parent);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part,
    first::timestamp at time zone 'UTC', (first + interval '1 month') at time zone 'UTC');
  return true;
end $$;
