-- Contacts that registering trunks have registered. One row for each user name; all contacts of it in one value, because
-- they are read and changed together.
create table sip_registrations (
  username text primary key,
  trunk_id uuid not null references voice_in_trunks (id) on delete cascade,
  bindings jsonb not null,
  expires_at timestamptz not null,
  updated_at timestamptz not null
);
create index sip_registrations_trunk on sip_registrations (trunk_id);

-- A REGISTER names the user name only.
create index voice_in_trunks_registering on voice_in_trunks ((configuration ->> 'incoming_auth_username'))
  where configuration ->> 'incoming_auth_username' is not null;
