-- E-mails on their way, and the balance below which a customer is told.

-- The text is sealed, since it may hold a link that sets a password, and forgotten once the e-mail was sent or given
-- up.
create table mails (
  id uuid primary key default gen_random_uuid(),
  account_id uuid references accounts on delete cascade,
  kind text not null check (kind in ('low_balance', 'reset', 'invitation', 'email', 'security_notice')),
  recipient text,
  sealed_text text,
  attempts integer not null default 0,
  last_error text,
  created_at timestamptz not null,
  sent_at timestamptz,
  given_up_at timestamptz
);
create index mails_created on mails (created_at);
create index mails_account on mails (account_id) where account_id is not null;

create table balance_alerts (
  account_id uuid primary key references accounts on delete cascade,
  threshold numeric(18, 4) not null,
  callback_url text,
  -- Whether the balance is below now; the trigger keeps it, so that each crossing is noticed once.
  is_below boolean not null,
  crossed_at timestamptz
);
