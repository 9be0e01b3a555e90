-- CDR exports: gzip files kept in pieces, so that neither writing nor reading one needs more memory than a piece.

create table exports (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  export_type text not null check (export_type in ('cdr_in', 'cdr_out')),
  filters json not null,
  status text not null default 'pending' check (status in ('pending', 'processing', 'completed')),
  -- The name in the download URL; never the export's id.
  file_name uuid not null unique default gen_random_uuid(),
  callback_url text,
  callback_method text,
  sealed_signing_key text,
  -- The base of the URL that the callback tells.
  base_url text not null,
  external_reference_id text,
  created_at timestamptz not null,
  completed_at timestamptz,
  size bigint,
  checksum text
);
create index exports_account on exports (account_id, created_at);

create table export_pieces (
  export_id uuid not null references exports on delete cascade,
  piece integer not null,
  bytes bytea not null,
  primary key (export_id, piece)
);
-- The pieces are compressed already.
alter table export_pieces alter column bytes set storage external;
