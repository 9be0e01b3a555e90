-- Tells the panel of verifications whose status, or count of wrong reports, has changed.
create or replace function tell_panel_of_verification_changes() returns trigger language plpgsql as $$
begin
  if exists (select from panel_watchers) then
    perform tell_panel(changed.account_id, 'verifications', changed.id::text)
    from changed join former using (id)
    where changed.status is distinct from former.status or changed.wrong_reports <> former.wrong_reports;
  end if;
  return null;
end $$;

create or replace trigger verifications_live_change after update on verifications
  referencing old table as former new table as changed for each statement execute function tell_panel_of_verification_changes();
