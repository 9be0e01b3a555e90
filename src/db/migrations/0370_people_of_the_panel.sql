-- Who signs in to the panel: beside an account's own login its members with roles, and operators.

create table account_members (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  email text not null,
  -- Null until the invitation is accepted.
  password_hash text,
  role text not null check (role in ('owner', 'billing', 'developer', 'read-only')),
  created_at timestamptz not null
);
create unique index account_members_email on account_members (lower(email));
create index account_members_account on account_members (account_id, created_at);

alter table panel_sessions
  -- Of an operator's session: the account the operator acts as, if any.
  alter column account_id drop not null,
  add column member_id uuid references account_members on delete cascade,
  add column operator_id uuid references operators on delete cascade,
  add constraint panel_sessions_person check (
    case when operator_id is null then account_id is not null else member_id is null end);
create index panel_sessions_operator on panel_sessions (operator_id) where operator_id is not null;
create index panel_sessions_member on panel_sessions (member_id) where member_id is not null;

-- Open streams of events close with their session, in whichever process they are.
create function tell_session_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'panel_session ' || old.id::text);
  return null;
end $$;
create trigger panel_sessions_changed after delete or update of revoked_at, account_id on panel_sessions
  for each row execute function tell_session_changed();

-- A new password ends every session of its person, whichever way it was set.
create function end_sessions_of_account() returns trigger language plpgsql as $$
begin
  delete from panel_sessions where account_id = new.id and member_id is null and operator_id is null;
  return null;
end $$;
create trigger accounts_password_changed after update of password_hash on accounts
  for each row when (old.password_hash is distinct from new.password_hash) execute function end_sessions_of_account();

create function end_sessions_of_member() returns trigger language plpgsql as $$
begin
  delete from panel_sessions where member_id = new.id;
  return null;
end $$;
create trigger account_members_password_changed after update of password_hash on account_members
  for each row when (old.password_hash is distinct from new.password_hash) execute function end_sessions_of_member();

create function end_sessions_of_operator() returns trigger language plpgsql as $$
begin
  delete from panel_sessions where operator_id = new.id;
  return null;
end $$;
create trigger operators_password_changed after update of password_hash on operators
  for each row when (old.password_hash is distinct from new.password_hash) execute function end_sessions_of_operator();
