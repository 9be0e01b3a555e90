-- Starts and reports are stored several at a time (src/verification): what they cause is done once a statement, not once a row.

-- The panel is told of them as of calls (0571): not at all while nobody looks. The topic is the trigger's argument.
create function tell_panel_of_rows() returns trigger language plpgsql as $$
begin
  if exists (select from panel_watchers) then
    perform tell_panel(changed.account_id, tg_argv[0], changed.id::text) from changed;
  end if;
  return null;
end $$;
create function tell_panel_of_verification_changes() returns trigger language plpgsql as $$
begin
  if exists (select from panel_watchers) then
    perform tell_panel(changed.account_id, 'verifications', changed.id::text)
    from changed join former using (id)
    where changed.status is distinct from former.status or changed.wrong_reports <> former.wrong_reports;
  end if;
  return null;
end $$;

drop trigger sandbox_messages_live on sandbox_messages;
create trigger sandbox_messages_live after insert on sandbox_messages
  referencing new table as changed for each statement execute function tell_panel_of_rows('messages');
drop trigger verifications_live_new on verifications;
create trigger verifications_live_new after insert on verifications
  referencing new table as changed for each statement execute function tell_panel_of_rows('verifications');
drop trigger verifications_live_change on verifications;
create trigger verifications_live_change after update on verifications
  referencing old table as former new table as changed for each statement execute function tell_panel_of_verification_changes();

-- What a verification counts in is named once for all of a minute.
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

-- An application is marked as deleted and never deleted, so these keys have nothing to follow. To check them every start locked the
-- row of its application, and starts of one application at the same time had to agree on that lock.
alter table verifications drop constraint verifications_application_id_fkey;
alter table verification_slots drop constraint verification_slots_application_id_fkey;
