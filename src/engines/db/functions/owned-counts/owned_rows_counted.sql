-- Counts any other list. A row with hidden_at is deleted as far as its owner can see.
create or replace function owned_rows_counted() returns trigger language plpgsql as $$
declare
  added bigint;
begin
  if tg_op = 'INSERT' then
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, tg_table_name, array[''] || time_parts(created_at), count(*)
    from after_rows r where to_jsonb(r) ->> 'hidden_at' is null group by 1, 3;
  elsif tg_op = 'DELETE' then
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, tg_table_name, array[''] || time_parts(created_at), -count(*)
    from before_rows r where to_jsonb(r) ->> 'hidden_at' is null group by 1, 3;
  else
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, tg_table_name, array[''] || time_parts(created_at), sum(change)
    from (select account_id, created_at, hidden_at, 1 as change from after_rows
          union all select account_id, created_at, hidden_at, -1 from before_rows) each
    where hidden_at is null group by 1, 3 having sum(change) <> 0;
  end if;
  get diagnostics added = row_count;
  perform owned_counts_fold_sometimes(added);
  return null;
end $$;

create or replace trigger exports_counted_insert after insert on exports
  referencing new table as after_rows for each statement execute function owned_rows_counted();
create or replace trigger exports_counted_delete after delete on exports
  referencing old table as before_rows for each statement execute function owned_rows_counted();
create or replace trigger voice_in_trunks_counted_insert after insert on voice_in_trunks
  referencing new table as after_rows for each statement execute function owned_rows_counted();
create or replace trigger voice_in_trunks_counted_delete after delete on voice_in_trunks
  referencing old table as before_rows for each statement execute function owned_rows_counted();
create or replace trigger voice_in_trunk_groups_counted_insert after insert on voice_in_trunk_groups
  referencing new table as after_rows for each statement execute function owned_rows_counted();
create or replace trigger voice_in_trunk_groups_counted_delete after delete on voice_in_trunk_groups
  referencing old table as before_rows for each statement execute function owned_rows_counted();
create or replace trigger voice_out_trunks_counted_insert after insert on voice_out_trunks
  referencing new table as after_rows for each statement execute function owned_rows_counted();
create or replace trigger voice_out_trunks_counted_delete after delete on voice_out_trunks
  referencing old table as before_rows for each statement execute function owned_rows_counted();
create or replace trigger shared_capacity_groups_counted_insert after insert on shared_capacity_groups
  referencing new table as after_rows for each statement execute function owned_rows_counted();
create or replace trigger shared_capacity_groups_counted_delete after delete on shared_capacity_groups
  referencing old table as before_rows for each statement execute function owned_rows_counted();
create or replace trigger identities_counted_insert after insert on identities
  referencing new table as after_rows for each statement execute function owned_rows_counted();
create or replace trigger identities_counted_delete after delete on identities
  referencing old table as before_rows for each statement execute function owned_rows_counted();
create or replace trigger identities_counted_update after update on identities
  referencing old table as before_rows new table as after_rows for each statement execute function owned_rows_counted();
create or replace trigger addresses_counted_insert after insert on addresses
  referencing new table as after_rows for each statement execute function owned_rows_counted();
create or replace trigger addresses_counted_delete after delete on addresses
  referencing old table as before_rows for each statement execute function owned_rows_counted();
create or replace trigger addresses_counted_update after update on addresses
  referencing old table as before_rows new table as after_rows for each statement execute function owned_rows_counted();
