-- Counts verifications; what they count in is computed once for all of a minute.
create or replace function verifications_counted() returns trigger language plpgsql as $$
declare
  added bigint;
begin
  if tg_op = 'INSERT' then
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, 'verifications', verification_parts(minute, application_id, delivery_method), rows
    from (
      select account_id, application_id, delivery_method, date_trunc('minute', created_at, 'UTC') as minute, count(*) as rows
      from after_rows group by 1, 2, 3, 4) as counted;
  else
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, 'verifications', verification_parts(minute, application_id, delivery_method), -rows
    from (
      select account_id, application_id, delivery_method, date_trunc('minute', created_at, 'UTC') as minute, count(*) as rows
      from before_rows group by 1, 2, 3, 4) as counted;
  end if;
  get diagnostics added = row_count;
  perform owned_counts_fold_sometimes(added);
  return null;
end $$;

create or replace trigger verifications_counted_insert after insert on verifications
  referencing new table as after_rows for each statement execute function verifications_counted();
create or replace trigger verifications_counted_delete after delete on verifications
  referencing old table as before_rows for each statement execute function verifications_counted();
