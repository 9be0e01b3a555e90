-- An invented product that proves the engine knows nothing of telephony.
create table readers (id uuid primary key default gen_random_uuid(), account_id uuid not null, name text not null);
create table clubs (
  id uuid primary key default gen_random_uuid(), account_id uuid not null, name text not null,
  leader_id uuid references readers
);
create table shelves (
  id uuid primary key default gen_random_uuid(), account_id uuid not null,
  name text not null, room text, capacity integer not null default 10, tags text[] not null default '{}',
  lamp jsonb, created_at timestamptz not null,
  constraint shelves_name unique (account_id, name)
);
create table books (
  id uuid primary key default gen_random_uuid(), account_id uuid not null,
  shelf_id uuid references shelves, keeper_type text, keeper_id uuid,
  title text not null, price numeric(12, 4) not null default 0, published date,
  status text not null default 'there', copies jsonb not null default '[]', created_at timestamptz not null
);
create index books_title on books (title);
create table book_reviewers (
  book_id uuid not null references books on delete cascade, reader_id uuid not null references readers,
  primary key (book_id, reader_id)
);
create table loans (
  id uuid primary key default gen_random_uuid(), account_id uuid not null, created_at timestamptz not null,
  kind text not null, days integer
);
create table tours (id uuid primary key default gen_random_uuid(), account_id uuid not null, created_at timestamptz not null);
create table tour_guests (tour_id uuid references tours, reader_id uuid references readers);
create table notices (id uuid primary key default gen_random_uuid(), text text not null);
create table desks (account_id uuid primary key, id uuid not null default gen_random_uuid(), money numeric(18, 4) not null);
