-- A change of reference data, prices of single customers included, gives it another version, in the same transaction.
create or replace function catalogue_version_change() returns trigger language plpgsql as $$
begin
  update catalogue_version set version = gen_random_uuid();
  return null;
end $$;

create or replace trigger catalogue_changed after insert or update or delete or truncate on countries
  for each statement execute function catalogue_version_change();
create or replace trigger catalogue_changed after insert or update or delete or truncate on regions
  for each statement execute function catalogue_version_change();
create or replace trigger catalogue_changed after insert or update or delete or truncate on areas
  for each statement execute function catalogue_version_change();
create or replace trigger catalogue_changed after insert or update or delete or truncate on cities
  for each statement execute function catalogue_version_change();
create or replace trigger catalogue_changed after insert or update or delete or truncate on pops
  for each statement execute function catalogue_version_change();
create or replace trigger catalogue_changed after insert or update or delete or truncate on did_group_types
  for each statement execute function catalogue_version_change();
create or replace trigger catalogue_changed after insert or update or delete or truncate on did_groups
  for each statement execute function catalogue_version_change();
create or replace trigger catalogue_changed after insert or update or delete or truncate on stock_keeping_units
  for each statement execute function catalogue_version_change();
create or replace trigger catalogue_changed after insert or update or delete or truncate on nanpa_prefixes
  for each statement execute function catalogue_version_change();
create or replace trigger catalogue_changed after insert or update or delete or truncate on did_group_nanpa_prefixes
  for each statement execute function catalogue_version_change();
create or replace trigger catalogue_changed after insert or update or delete or truncate on proof_types
  for each statement execute function catalogue_version_change();
create or replace trigger catalogue_changed after insert or update or delete or truncate on supporting_document_templates
  for each statement execute function catalogue_version_change();
create or replace trigger catalogue_changed after insert or update or delete or truncate on address_requirements
  for each statement execute function catalogue_version_change();
create or replace trigger catalogue_changed after insert or update or delete or truncate on address_requirement_proof_types
  for each statement execute function catalogue_version_change();
create or replace trigger catalogue_changed after insert or update or delete or truncate on price_adjustments
  for each statement execute function catalogue_version_change();
