-- Operators: the people and programs that run this environment, and their keys for /operator/v1.

create table operators (
  id uuid primary key default gen_random_uuid(),
  -- The login of the panel.
  email text not null,
  password_hash text,
  role text not null check (role in ('owner', 'support', 'finance', 'reviewer', 'read-only')),
  created_at timestamptz not null
);
create unique index operators_email on operators (lower(email));

create table operator_keys (
  id uuid primary key default gen_random_uuid(),
  operator_id uuid not null references operators on delete cascade,
  name text not null,
  key_hash bytea not null unique,
  prefix text not null,
  allowed_ips cidr[] not null default '{}',
  created_at timestamptz not null,
  revoked_at timestamptz,
  -- At most a minute old; see src/operator/authenticate.ts.
  last_used_at timestamptz
);
create index operator_keys_operator on operator_keys (operator_id);

create function tell_operator_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'operator ' || old.id::text);
  return null;
end $$;
create trigger operators_changed after delete or update on operators
  for each row execute function tell_operator_changed();

create function tell_operator_key_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'operator ' || old.operator_id::text);
  return null;
end $$;
-- Not for last_used_at, which changes with use.
create trigger operator_keys_changed after delete or update of allowed_ips, revoked_at on operator_keys
  for each row execute function tell_operator_key_changed();

-- The audit log holds every act of an operator: who, from where, what, before and after, why.
alter table audit_log
  -- The id that /operator/v1 shows; `id` keeps the order.
  add column uid uuid not null default gen_random_uuid(),
  add column operator_id uuid,
  -- The client's address, or the way that has none: 'command line', 'bootstrap file'.
  add column source text,
  add column reason text,
  add column before jsonb,
  add column after jsonb,
  -- Jobs have numbers, not UUIDs.
  alter column subject_id type text;
create unique index audit_log_uid on audit_log (uid);
create index audit_log_at on audit_log (at desc, id desc);
create index audit_log_account on audit_log (account_id, at desc, id desc) where account_id is not null;
create index audit_log_actor on audit_log (actor, at desc, id desc);
