-- A hint for pages of the panel that something has changed, written only while somebody looks at that account or at all
-- of them.
create or replace function tell_panel(account uuid, topic text, subject text) returns void language plpgsql as $$
begin
  if exists (
    select from panel_watchers where account_id in (account, '00000000-0000-0000-0000-000000000000')
  ) then
    insert into panel_events (account_id, topic, subject) values (account, tell_panel.topic, tell_panel.subject);
    perform pg_notify('trunkline', 'panel_events');
  end if;
end $$;
