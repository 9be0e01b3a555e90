-- What emergency calling costs one account, where that differs from what it costs everybody. No price: not sold to it.
create table emergency_rates (
  account_id uuid not null references accounts on delete cascade,
  emergency_requirement_id uuid not null references emergency_requirements on delete cascade,
  setup_price numeric(12, 4) check (setup_price >= 0),
  monthly_price numeric(12, 4) check (monthly_price >= 0),
  primary key (account_id, emergency_requirement_id),
  check ((setup_price is null) = (monthly_price is null))
);
