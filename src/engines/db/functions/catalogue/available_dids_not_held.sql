-- The last guard: whatever puts numbers into stock leaves out those that are held.
create or replace function available_dids_not_held() returns trigger language plpgsql as $$
declare
  held text;
begin
  select h.number into held from added join held_numbers h on h.number = added.number limit 1;
  if held is not null then
    raise exception 'the number % is withdrawn or in quarantine', held;
  end if;
  return null;
end $$;

create or replace trigger available_dids_not_held after insert on available_dids
  referencing new table as added for each statement execute function available_dids_not_held();
