-- The verification service: applications, verifications, and what delivers their codes.

create table otp_applications (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  -- Public, opaque, without a colon: it is the user name of Basic and the first half of the signed form.
  key text not null unique check (key <> '' and key !~ ':'),
  sealed_secret text not null,
  name text not null check (name <> ''),
  description text,
  minimum_mode text not null default 'public' check (minimum_mode in ('public', 'basic', 'application')),
  -- Kept as it was written: its path is signed to the letter.
  callback_url text,
  code_timeout integer not null default 300 check (code_timeout between 60 and 600),
  code_length integer not null default 6 check (code_length between 4 and 8),
  -- Sender ids by ISO country, and under "default" for the others.
  senders jsonb not null default '{}',
  -- Starts a day; null leaves it to the operator's general limit.
  daily_limit integer check (daily_limit > 0),
  created_at timestamptz not null,
  deleted_at timestamptz
);
create unique index otp_applications_name on otp_applications (account_id, name) where deleted_at is null;

create function tell_otp_application_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'otp_application ' || coalesce(new.key, old.key));
  return null;
end $$;
create trigger otp_applications_changed after update or delete on otp_applications
  for each row execute function tell_otp_application_changed();

create table verifications (
  -- Version 7: new rows go to the end of the index, and retention walks it from the beginning.
  id uuid primary key,
  -- The order of creation, also among those of one millisecond.
  seq bigint not null generated always as identity,
  application_id uuid not null references otp_applications on delete cascade,
  account_id uuid not null,
  destination text not null,
  delivery_method text not null check (delivery_method in ('sms', 'callout')),
  -- A pending row past expires_at is expired, and one never dispatched is stale: both are read from the clock.
  status text not null check (status in ('pending', 'verified', 'failed', 'denied')),
  error_code text check ((error_code is null) = (status in ('pending', 'verified'))),
  -- Quoted at the start, VAT included.
  fee numeric(18, 4) not null,
  language text not null,
  app_hash text,
  code_length smallint not null,
  code_timeout smallint not null,
  code_hash bytea,
  wrong_reports smallint not null default 0 check (wrong_reports between 0 and 3),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Set before a code leaves the house, so that no second process sends one for the same record.
  dispatch_started_at timestamptz,
  dispatched_at timestamptz,
  -- When it became final, or will at the latest; retention counts from here.
  final_at timestamptz not null
) with (fillfactor = 85);
-- No index holds a column that changes, so that dispatch and report touch the row alone.
create index verifications_by_number on verifications (application_id, destination, seq);

-- One row per application and number that was ever started: the cooldown, and which record a new start supersedes.
create table verification_slots (
  application_id uuid not null references otp_applications on delete cascade,
  destination text not null,
  started_at timestamptz not null,
  verification_id uuid not null,
  superseded_id uuid,
  primary key (application_id, destination)
) with (fillfactor = 85);

-- What a verified number costs, by the longest prefix; VAT not included. The sandbox never reads it.
create table verification_rates (
  delivery_method text not null check (delivery_method in ('sms', 'callout')),
  prefix text not null check (prefix ~ '^[0-9]*$'),
  amount numeric(10, 4) not null check (amount >= 0),
  primary key (delivery_method, prefix)
);
insert into verification_rates (delivery_method, prefix, amount) values ('sms', '', 0.05), ('callout', '', 0.05);

create table verification_providers (
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (name <> ''),
  kind text not null check (kind in ('http', 'smpp')),
  settings jsonb not null,
  -- A password or token, sealed with the server key; settings name it as {{SECRET}}.
  sealed_secret text,
  enabled boolean not null default true,
  created_at timestamptz not null
);

create table verification_routes (
  id uuid primary key default gen_random_uuid(),
  delivery_method text not null check (delivery_method in ('sms', 'callout')),
  prefix text not null check (prefix ~ '^[0-9]*$'),
  -- Among routes of the same prefix the lowest goes first.
  priority integer not null default 10,
  provider_id uuid not null references verification_providers on delete cascade,
  unique (delivery_method, prefix, provider_id)
);

-- What providers took and may still report on.
create table verification_sent_messages (
  provider_id uuid not null references verification_providers on delete cascade,
  message_id text not null,
  verification_id uuid not null,
  sent_at timestamptz not null,
  receipt text check (receipt in ('delivered', 'failed')),
  receipt_at timestamptz,
  primary key (provider_id, message_id)
);
create index verification_sent_messages_sent_at on verification_sent_messages using brin (sent_at);

-- The sandbox's inbox: what would have been sent. The primary key keeps a record from being sent twice.
create table sandbox_messages (
  id bigint generated always as identity primary key,
  verification_id uuid not null unique,
  account_id uuid not null,
  destination text not null,
  delivery_method text not null,
  language text not null,
  text text not null,
  code text not null,
  created_at timestamptz not null
);
create index sandbox_messages_inbox on sandbox_messages (account_id, destination, id);

create function tell_sandbox_message() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'sandbox_message ' || new.destination);
  return null;
end $$;
create trigger sandbox_messages_arrived after insert on sandbox_messages
  for each row execute function tell_sandbox_message();

-- The operator's settings that differ from those shipped (src/verification/settings.ts).
create table verification_settings (
  only_row boolean primary key default true check (only_row),
  settings jsonb not null default '{}'
);
insert into verification_settings default values;

create function tell_verification_settings_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'verification_settings');
  return null;
end $$;
create trigger verification_settings_changed after update on verification_settings
  for each statement execute function tell_verification_settings_changed();
create trigger verification_providers_changed after insert or update or delete on verification_providers
  for each statement execute function tell_verification_settings_changed();
create trigger verification_routes_changed after insert or update or delete on verification_routes
  for each statement execute function tell_verification_settings_changed();

-- Starts counted per window, for the guards that are switched on.
create table verification_counters (
  guard text not null,
  subject text not null,
  window_start timestamptz not null,
  count integer not null,
  primary key (guard, subject, window_start)
);

-- Starts that a guard refused, with its reason, for the operator's eyes.
create table verification_blocked_starts (
  id bigint generated always as identity primary key,
  application_id uuid not null references otp_applications on delete cascade,
  destination text not null,
  delivery_method text not null,
  address text not null,
  reason text not null,
  created_at timestamptz not null
);
create index verification_blocked_starts_newest on verification_blocked_starts (application_id, id);

-- Signatures already seen, while the operator refuses replays.
create table verification_used_signatures (
  signature_hash bytea primary key,
  seen_at timestamptz not null
);
