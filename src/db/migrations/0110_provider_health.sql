-- A provider that does not respond is set aside for a while, by all processes alike.
alter table verification_providers
  add column failures integer not null default 0,
  add column set_aside_until timestamptz,
  add column last_failure text,
  add column last_failure_at timestamptz,
  -- Authenticates the delivery receipts that the provider sends; sealed with the server key.
  add column sealed_receipt_secret text;
