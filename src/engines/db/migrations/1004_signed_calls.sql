-- Calls to carriers are signed (STIR/SHAKEN): the operator's certificates, and who is named as the origin of a call.
create table signing_certificates (
  id uuid primary key default gen_random_uuid(),
  name text not null constraint signing_certificates_name unique,
  enabled boolean not null default true,
  -- The certificate of the signer and those that vouch for it, in PEM form, the signer's first. Public.
  chain text not null,
  -- Its private key in PEM form, sealed with the server key.
  sealed_private_key text not null,
  -- Where others fetch the chain: it is named in every signature.
  url text not null,
  -- Who signs, as the certificate says.
  signer text not null,
  -- When all certificates of the chain are valid.
  valid_from timestamptz not null,
  valid_until timestamptz not null,
  created_at timestamptz not null
);

-- What a signature names as the origin of a call, so that the operator finds it again: the same for all calls of an
-- account, of a carrier that brings calls, and of this environment's own calls.
alter table accounts add column origid uuid not null default gen_random_uuid() constraint accounts_origid unique;
alter table carriers
  add column origid uuid not null default gen_random_uuid(),
  -- Whether calls that are sent to it are signed, once there is a certificate.
  add column sign_calls boolean not null default true;
alter table environment_state add column origid uuid not null default gen_random_uuid();

-- How a call was signed on its way to a carrier: 'A', 'B' or 'C', or 'div' for one that was forwarded with the
-- signatures that it came with. Null for a call that was not signed.
alter table cdrs_in add column signed_as text, add column signed_origid uuid;
alter table cdrs_out add column signed_as text, add column signed_origid uuid;
