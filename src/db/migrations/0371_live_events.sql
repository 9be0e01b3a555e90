-- Live events of the panel: hints that something has changed, written only while somebody looks.

create table panel_watchers (
  -- The account that is looked at. All zeros: operators, who look at every account.
  account_id uuid primary key,
  -- Events of every transaction from this number on have been kept.
  since bigint not null,
  -- Renewed while somebody looks; a row that is late is deleted by any process.
  seen_at timestamptz not null
);

create table panel_events (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  topic text not null,
  subject text not null,
  -- The transaction that wrote it: readers go on from the oldest one that was still open when they last read.
  transaction bigint not null default (pg_current_xact_id()::text::bigint)
);
create index panel_events_transaction on panel_events (transaction);

create function tell_panel(account uuid, topic text, subject text) returns void language plpgsql as $$
begin
  if exists (
    select from panel_watchers where account_id in (account, '00000000-0000-0000-0000-000000000000')
  ) then
    insert into panel_events (account_id, topic, subject) values (account, tell_panel.topic, tell_panel.subject);
    perform pg_notify('trunkline', 'panel_events');
  end if;
end $$;

-- The topic is the trigger's argument.
create function tell_panel_of_row() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform tell_panel(old.account_id, tg_argv[0], old.id::text);
  else
    perform tell_panel(new.account_id, tg_argv[0], new.id::text);
  end if;
  return null;
end $$;

create trigger orders_live after insert or update of status on orders
  for each row execute function tell_panel_of_row('orders');
create trigger open_calls_live after insert or delete or update of state on open_calls
  for each row execute function tell_panel_of_row('calls');
create trigger cdrs_in_live after insert on cdrs_in
  for each row execute function tell_panel_of_row('calls');
create trigger cdrs_out_live after insert on cdrs_out
  for each row execute function tell_panel_of_row('calls');
create trigger sandbox_messages_live after insert on sandbox_messages
  for each row execute function tell_panel_of_row('messages');
create trigger deliveries_live after insert or update of status, attempts on deliveries
  for each row execute function tell_panel_of_row('deliveries');
create trigger address_verifications_live after insert or update of status on address_verifications
  for each row execute function tell_panel_of_row('reviews');
create trigger emergency_verifications_live after insert or update of status on emergency_verifications
  for each row execute function tell_panel_of_row('reviews');
