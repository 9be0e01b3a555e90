-- Every process listens on the one channel `trunkline`; a message is a topic, a space, and what it is about. Balance
-- and credit are left out: they change with every order and are read from the row each time.
create or replace function tell_account_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'account ' || coalesce(new.id, old.id)::text);
  return null;
end $$;

-- Not for balance and credit, which change with every order and are read from the row each time.
create or replace trigger accounts_changed
  after delete or update of name, api_version, read_only, limits, features, suspended_at, suspension_reason, closed_at
  on accounts for each row execute function tell_account_changed();
