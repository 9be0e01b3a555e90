-- What countries ask for, the paperwork of customers with its encrypted files, and its review.

create table proof_types (
  id uuid primary key,
  name text not null,
  entity_type text not null check (entity_type in ('Personal', 'Business', 'Address')),
  -- How long a proof of this type counts; null = for ever.
  valid_days integer check (valid_days > 0),
  position integer not null,
  unique (entity_type, name)
);

create table supporting_document_templates (
  id uuid primary key,
  name text not null unique,
  permanent boolean not null,
  -- The last part of the blank form's address.
  storage_key text not null unique check (storage_key ~ '^[a-z0-9]{28}$'),
  -- What the blank form asks for, line by line.
  form_lines text[] not null
);

create table address_requirements (
  id uuid primary key,
  country_id uuid not null references countries,
  did_group_type_id uuid not null references did_group_types,
  identity_type text not null check (identity_type in ('any', 'personal', 'business')),
  personal_area_level text check (personal_area_level in ('world_wide', 'country')),
  business_area_level text check (business_area_level in ('world_wide', 'country')),
  address_area_level text not null check (address_area_level in ('world_wide', 'country', 'area', 'city')),
  personal_proof_qty integer not null check (personal_proof_qty >= 0),
  business_proof_qty integer not null check (business_proof_qty >= 0),
  address_proof_qty integer not null check (address_proof_qty >= 0),
  personal_mandatory_fields text[],
  business_mandatory_fields text[],
  service_description_required boolean not null,
  restriction_message text not null,
  personal_permanent_document_id uuid references supporting_document_templates,
  business_permanent_document_id uuid references supporting_document_templates,
  personal_onetime_document_id uuid references supporting_document_templates,
  business_onetime_document_id uuid references supporting_document_templates,
  unique (country_id, did_group_type_id)
);

create table address_requirement_proof_types (
  address_requirement_id uuid not null references address_requirements on delete cascade,
  kind text not null check (kind in ('personal', 'business', 'address')),
  proof_type_id uuid not null references proof_types,
  primary key (address_requirement_id, kind, proof_type_id)
);

create table identities (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  identity_type text not null check (identity_type in ('personal', 'business')),
  first_name text not null,
  last_name text not null,
  phone_number text not null,
  contact_email text,
  company_name text,
  company_reg_number text,
  vat_id text,
  id_number text,
  personal_tax_id text,
  birth_date date,
  description text,
  external_reference_id text,
  country_id uuid references countries,
  birth_country_id uuid references countries,
  created_at timestamptz not null,
  -- Deleted by its owner, but still behind an approved verification.
  hidden_at timestamptz
);
create index identities_account on identities (account_id, id);
create index identities_by_created on identities (account_id, created_at, id);

create table addresses (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  identity_id uuid not null references identities on delete cascade,
  country_id uuid not null references countries,
  address text not null,
  city_name text not null,
  postal_code text not null,
  description text,
  external_reference_id text,
  -- Found by the name of the city, where coverage knows it.
  city_id uuid references cities,
  area_id uuid references areas,
  created_at timestamptz not null,
  -- Deleted by its owner, but still behind an approved verification: hidden until its identity goes.
  hidden_at timestamptz
);
create index addresses_account on addresses (account_id, id);
create index addresses_identity on addresses (identity_id);
create index addresses_by_created on addresses (account_id, created_at, id);

create table proofs (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  proof_type_id uuid not null references proof_types,
  identity_id uuid references identities on delete cascade,
  address_id uuid references addresses on delete cascade,
  external_reference_id text,
  created_at timestamptz not null,
  expires_at timestamptz,
  check (num_nonnulls(identity_id, address_id) = 1)
);
create index proofs_account on proofs (account_id, id);
create index proofs_identity on proofs (identity_id);
create index proofs_address on proofs (address_id);

create table permanent_supporting_documents (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  template_id uuid not null references supporting_document_templates,
  identity_id uuid not null references identities on delete cascade,
  external_reference_id text,
  created_at timestamptz not null,
  -- A new document takes the place of the one before it.
  unique (identity_id, template_id)
);
create index permanent_supporting_documents_account on permanent_supporting_documents (account_id, id);

-- Two key pairs are in use at a time; those before them stay, so that old files can be opened.
create table encryption_keys (
  id uuid primary key,
  slot text not null check (slot in ('A', 'B')),
  public_key text not null,
  sealed_private_key text not null,
  fingerprint text not null unique check (fingerprint ~ '^[0-9a-f]{40}$'),
  modulus_bytes integer not null check (modulus_bytes > 0),
  created_at timestamptz not null,
  retired_at timestamptz
);
create unique index encryption_keys_current on encryption_keys (slot) where retired_at is null;

-- The bytes of an upload exactly as they came, in chunks. A row without a size is an upload still on its way.
create table stored_files (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  fingerprint text,
  size integer check (size > 0),
  created_at timestamptz not null,
  object_key text
);
create index stored_files_account on stored_files (account_id);

create table stored_file_chunks (
  stored_file_id uuid not null references stored_files on delete cascade,
  position integer not null,
  bytes bytea not null,
  primary key (stored_file_id, position)
);
-- Ciphertext does not compress.
alter table stored_file_chunks alter column bytes set storage external;

create table encrypted_files (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  stored_file_id uuid not null unique references stored_files,
  description text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index encrypted_files_account on encrypted_files (account_id, id);
create index encrypted_files_created on encrypted_files (created_at);

create table address_verifications (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  -- Null once the identity behind it has been erased.
  address_id uuid references addresses on delete set null,
  reference text not null unique check (reference ~ '^[A-Z]{3}-[0-9]{6}$'),
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected')),
  reject_reasons text[],
  reject_comment text,
  service_description text,
  callback_url text,
  callback_method text check (callback_method in ('get', 'post')),
  -- Signs the callback while the account has no callback secret.
  sealed_signing_key text,
  external_reference_id text,
  created_at timestamptz not null,
  decided_at timestamptz,
  check ((callback_url is null) = (callback_method is null)),
  check ((status = 'pending') = (decided_at is null)),
  check ((status = 'rejected') = (reject_reasons is not null))
);
create index address_verifications_account on address_verifications (account_id, id);
create index address_verifications_address on address_verifications (address_id);
create index address_verifications_queue on address_verifications (created_at) where status = 'pending';

-- Files that outlive their upload, because a proof, a document or a submission holds them.
create table kept_files (
  id uuid primary key default gen_random_uuid(),
  stored_file_id uuid not null references stored_files,
  proof_id uuid references proofs on delete cascade,
  document_id uuid references permanent_supporting_documents on delete cascade,
  address_verification_id uuid references address_verifications on delete cascade,
  position integer not null,
  check (num_nonnulls(proof_id, document_id, address_verification_id) = 1)
);
create index kept_files_stored on kept_files (stored_file_id);
create index kept_files_proof on kept_files (proof_id);
create index kept_files_document on kept_files (document_id);
create index kept_files_verification on kept_files (address_verification_id);

create table address_verification_dids (
  address_verification_id uuid not null references address_verifications on delete cascade,
  did_id uuid not null,
  primary key (address_verification_id, did_id)
);
create index address_verification_dids_did on address_verification_dids (did_id);

-- What an operator has set for an account: submissions decided at once, a convenience of test environments; uploads
-- looked into before they are accepted; days that numbers may wait for their registration.
create table review_settings (
  account_id uuid primary key references accounts on delete cascade,
  auto_decision text check (auto_decision in ('approve', 'reject')),
  checks_uploads boolean not null default false,
  registration_days integer check (registration_days > 0)
);
