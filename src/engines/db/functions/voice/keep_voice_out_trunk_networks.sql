-- Keeps the networks of a trunk as PostgreSQL compares them, beside what the customer wrote.
create or replace function keep_voice_out_trunk_networks() returns trigger language plpgsql as $$
begin
  new.allowed_networks := voice_out_trunk_networks(new.authentication);
  return new;
end $$;

create or replace trigger keep_networks before insert or update of authentication on voice_out_trunks
  for each row execute function keep_voice_out_trunk_networks();
