-- The currency of the books (TRUNKLINE_CURRENCY); null until a server of this version has started.
alter table environment_state add column currency text check (currency ~ '^[A-Z]{3}$');
