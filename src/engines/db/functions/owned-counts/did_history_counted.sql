-- Counts the history of numbers; entries are only ever added.
create or replace function did_history_counted() returns trigger language plpgsql as $$
declare
  added bigint;
begin
  insert into owned_count_changes (account_id, list, parts, change)
  select account_id, 'did_history', did_history_parts(created_at, action, method), count(*) from after_rows group by 1, 3;
  get diagnostics added = row_count;
  perform owned_counts_fold_sometimes(added);
  return null;
end $$;

create or replace trigger did_history_counted_insert after insert on did_history
  referencing new table as after_rows for each statement execute function did_history_counted();
