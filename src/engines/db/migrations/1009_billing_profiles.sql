-- Who a customer is on bills.
create table billing_profiles (
  account_id uuid primary key references accounts on delete cascade,
  kind text not null check (kind in ('company', 'person')),
  name text not null,
  street text not null,
  postal_code text,
  city text not null,
  country text not null check (country ~ '^[A-Z]{2}$'),
  -- With the prefix of its country, and right by its check digits.
  vat_id text check (vat_id is null or kind = 'company'),
  email text,
  purchase_order text,
  -- Whether an operator has looked at what the tax depends on; until then a customer's change never lowers the rate.
  tax_confirmed boolean not null,
  updated_at timestamptz not null
);
