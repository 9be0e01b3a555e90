-- Accounts that an operator has suspended or closed. A closed account is suspended for good.

alter table accounts
  add column suspended_at timestamptz,
  -- Shown to the customer in every refused request.
  add column suspension_reason text,
  add column renewals_held boolean not null default false,
  add column closed_at timestamptz,
  add constraint accounts_suspension check (
    (suspended_at is null) = (suspension_reason is null)
    and (suspended_at is not null or (closed_at is null and not renewals_held)));

drop trigger accounts_changed on accounts;
-- Not for balance and credit, which change with every order and are read from the row each time.
create trigger accounts_changed
  after delete or update of name, api_version, read_only, limits, features, suspended_at, suspension_reason, closed_at
  on accounts for each row execute function tell_account_changed();
