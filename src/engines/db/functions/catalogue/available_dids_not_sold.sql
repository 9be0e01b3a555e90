-- A number is in stock or sold, never both.
create or replace function available_dids_not_sold() returns trigger language plpgsql as $$
declare
  sold text;
begin
  select d.number into sold from added join dids d on d.number = added.number limit 1;
  if sold is not null then
    raise exception 'the number % is owned and cannot be in stock', sold using errcode = 'exclusion_violation';
  end if;
  return null;
end $$;

create or replace trigger available_dids_not_sold after insert on available_dids
  referencing new table as added for each statement execute function available_dids_not_sold();
