-- Money as operators handle it: refunds with a reason, invoices, and the results of proving the books.

create table refunds (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  order_id uuid not null references orders,
  -- The item of the order.
  position integer not null,
  amount numeric(18, 4) not null check (amount > 0),
  vat numeric(18, 4) not null check (vat >= 0),
  reason text not null,
  actor text not null,
  created_at timestamptz not null
);
create index refunds_account on refunds (account_id, created_at);
create index refunds_order on refunds (order_id);
create index refunds_created on refunds (created_at);

-- The last number that was given; an invoice takes the next one in its own transaction, so no number is left out.
create table invoice_numbers (
  only_row boolean primary key default true check (only_row),
  last bigint not null default 0
);
insert into invoice_numbers default values;

create table invoices (
  id uuid primary key default gen_random_uuid(),
  number bigint not null unique,
  account_id uuid not null references accounts,
  month date not null check (extract(day from month) = 1),
  -- The customer as it was named at the time.
  customer text not null,
  net numeric(18, 4) not null,
  vat numeric(18, 4) not null,
  lines jsonb not null,
  actor text not null,
  created_at timestamptz not null,
  constraint invoices_month unique (account_id, month)
);
create index invoices_created on invoices (created_at);

create function refuse_invoice_change() returns trigger language plpgsql as $$
begin
  raise exception 'invoices never change; correct one with an adjustment or a refund of the next month';
end $$;
create trigger invoices_unchangeable before update or delete on invoices
  for each row execute function refuse_invoice_change();
create trigger invoices_not_truncated before truncate on invoices
  for each statement execute function refuse_invoice_change();

create table ledger_verifications (
  id uuid primary key default gen_random_uuid(),
  checks integer not null,
  -- Checks that found something wrong, with their first violations.
  failed integer not null,
  offences jsonb not null,
  duration_ms integer not null,
  created_at timestamptz not null
);
create index ledger_verifications_created on ledger_verifications (created_at);
