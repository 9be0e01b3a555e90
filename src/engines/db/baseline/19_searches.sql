-- Indexes for searches by a part of a text, where the server has the extension for them.
do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_trgm') then
    create extension if not exists pg_trgm;
    create index dids_number_part on dids using gin (number gin_trgm_ops);
    create index accounts_name_part on accounts using gin (lower(name) gin_trgm_ops);
    create index accounts_email_part on accounts using gin (lower(email) gin_trgm_ops);
    create index orders_reference_part on orders using gin (reference gin_trgm_ops);
  end if;
exception when insufficient_privilege or feature_not_supported or undefined_file then
  raise notice 'pg_trgm is not available: searches by a part of a text read whole tables';
end $$;
