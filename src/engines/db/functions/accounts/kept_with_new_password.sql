-- `trunkline.kept` names, for the transaction that sets a password, the sessions and passkeys that stay.
create or replace function kept_with_new_password() returns uuid[] language sql stable as $$
  select coalesce(nullif(current_setting('trunkline.kept', true), ''), '{}')::uuid[]
$$;
