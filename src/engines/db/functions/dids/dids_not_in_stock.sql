-- A number is in stock or sold, never both (see available_dids_not_sold).
create or replace function dids_not_in_stock() returns trigger language plpgsql as $$
declare
  stocked text;
begin
  select a.number into stocked from added join available_dids a on a.number = added.number limit 1;
  if stocked is not null then
    raise exception 'the number % is in stock and cannot be owned', stocked using errcode = 'exclusion_violation';
  end if;
  return null;
end $$;

create or replace trigger dids_not_in_stock after insert on dids
  referencing new table as added for each statement execute function dids_not_in_stock();
