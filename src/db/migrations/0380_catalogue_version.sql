-- The version of the reference data: another one after every change of the catalogue, part of the transaction that makes it.
-- Processes keep ready responses of reference data and compare this before they send one. Random, so that a database that
-- lost its last commits in a failover never repeats a version that some process has seen.
create table catalogue_version (
  only_row boolean primary key default true check (only_row),
  version uuid not null
);
insert into catalogue_version (version) values (gen_random_uuid());

create function catalogue_version_change() returns trigger language plpgsql as $$
begin
  update catalogue_version set version = gen_random_uuid();
  return null;
end $$;

do $$
declare
  each text;
begin
  foreach each in array array[
    'countries', 'regions', 'areas', 'cities', 'pops', 'did_group_types', 'did_groups', 'stock_keeping_units', 'nanpa_prefixes',
    'did_group_nanpa_prefixes', 'proof_types', 'supporting_document_templates', 'address_requirements',
    'address_requirement_proof_types'
  ] loop
    execute format('create trigger catalogue_changed after insert or update or delete or truncate on %I
      for each statement execute function catalogue_version_change()', each);
  end loop;
end $$;
