-- Emergency calling.

create table emergency_requirements (
  id uuid primary key,
  country_id uuid not null references countries,
  did_group_type_id uuid not null references did_group_types,
  identity_type text not null check (identity_type in ('any', 'personal', 'business')),
  personal_area_level text check (personal_area_level in ('world_wide', 'country')),
  business_area_level text check (business_area_level in ('world_wide', 'country')),
  address_area_level text not null check (address_area_level in ('country', 'area', 'city')),
  personal_mandatory_fields text[] not null,
  business_mandatory_fields text[] not null,
  address_mandatory_fields text[] not null,
  estimate_setup_time text not null,
  requirement_restriction_message text,
  -- Null = not sold; then customers do not see the row.
  setup_price numeric(12, 4),
  monthly_price numeric(12, 4),
  unique (country_id, did_group_type_id),
  check ((setup_price is null) = (monthly_price is null))
);

-- What emergency calling costs one account, where that differs from what it costs everybody. No price: not sold to it.
create table emergency_rates (
  account_id uuid not null references accounts on delete cascade,
  emergency_requirement_id uuid not null references emergency_requirements on delete cascade,
  setup_price numeric(12, 4) check (setup_price >= 0),
  monthly_price numeric(12, 4) check (monthly_price >= 0),
  primary key (account_id, emergency_requirement_id),
  check ((setup_price is null) = (monthly_price is null))
);

create table emergency_calling_services (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  name text not null,
  reference text not null unique check (reference ~ '^[A-Z]{3}-[0-9]{6}$'),
  status text not null check (status in ('new', 'in_process', 'changes_required', 'active', 'pending_update', 'canceled')),
  country_id uuid not null references countries,
  did_group_type_id uuid not null references did_group_types,
  emergency_requirement_id uuid not null references emergency_requirements,
  order_id uuid references orders,
  -- As they were when the service was asked for: a customer's price does not change under a running service.
  setup_price numeric(12, 4) not null,
  monthly_price numeric(12, 4) not null,
  activated_at timestamptz,
  canceled_at timestamptz,
  renew_date date,
  created_at timestamptz not null,
  check ((status = 'canceled') = (canceled_at is not null)),
  check (renew_date is null or status in ('active', 'pending_update'))
);
create index emergency_calling_services_account on emergency_calling_services (account_id, id);

create table emergency_verifications (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  emergency_calling_service_id uuid not null references emergency_calling_services,
  address_id uuid references addresses on delete set null,
  reference text not null unique check (reference ~ '^[A-Z]{3}-[0-9]{6}$'),
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected')),
  reject_reasons text[],
  reject_comment text,
  callback_url text,
  callback_method text check (callback_method in ('get', 'post')),
  sealed_signing_key text,
  external_reference_id text,
  created_at timestamptz not null,
  decided_at timestamptz,
  -- Which submission of a service is the latest, also when two were made in the same millisecond.
  seq bigint generated always as identity,
  check ((callback_url is null) = (callback_method is null)),
  check ((status = 'pending') = (decided_at is null)),
  check ((status = 'rejected') = (reject_reasons is not null))
);
create index emergency_verifications_account on emergency_verifications (account_id, id);
create index emergency_verifications_address on emergency_verifications (address_id);
-- A service has one submission under review at most.
create unique index emergency_verifications_under_review on emergency_verifications (emergency_calling_service_id)
  where status = 'pending';
create index emergency_verifications_service on emergency_verifications (emergency_calling_service_id, seq);

create table emergency_verification_dids (
  emergency_verification_id uuid not null references emergency_verifications on delete cascade,
  did_id uuid not null,
  primary key (emergency_verification_id, did_id)
);
create index emergency_verification_dids_did on emergency_verification_dids (did_id);
