-- A number's place in the stock never changes; it is taken out and put in.
create or replace function available_dids_never_move() returns trigger language plpgsql as $$
begin
  raise exception 'available_dids rows are inserted and deleted, never updated';
end $$;

create or replace trigger available_dids_fixed before update on available_dids
  for each row execute function available_dids_never_move();
